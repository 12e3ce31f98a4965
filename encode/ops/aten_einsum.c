/* aten_einsum.c: einsum: one letter, one index. Letters that the result lacks
 * are summed over; a letter twice in one operand is its diagonal; "..." are
 * the dimensions that no letter names, broadcast.
 *
 * Labels are small numbers: letters by their place in the alphabet, the
 * dimensions of "..." from ELLIPSIS on, counted from the last one. */
#include "encode/aten_util.h"

#include <string.h>

enum { ELLIPSIS = 64, LABELS = ELLIPSIS + SP_MAX_DIMS };

typedef struct labels {
  uint32_t n;
  int v[SP_MAX_DIMS];
} labels;

typedef struct einsum {
  uint32_t n_in;
  uint32_t operand[16];
  labels in[16], out;
  int64_t size[LABELS]; /* 0: not used (sizes of 0 are refused) */
} einsum;

static int letter(char c) {
  return c >= 'a' && c <= 'z'   ? c - 'a'
         : c >= 'A' && c <= 'Z' ? 26 + c - 'A'
                                : -1;
}

static void push(sp_ctx *ctx, const sp_node *node, labels *l, int v) {
  if (l->n >= SP_MAX_DIMS) {
    spi_bad(ctx, node, "too many indices");
  }
  l->v[l->n++] = v;
}

/* One operand's letters up to a comma, an arrow or the end; dots stand for
 * `free` dimensions. Returns where it stopped. */
static const char *read_labels(sp_ctx *ctx, const sp_node *node, const char *s,
                               uint32_t free, labels *out) {
  for (; *s && *s != ',' && *s != '-'; s++) {
    if (*s == '.') {
      for (uint32_t i = free; i-- > 0;) {
        push(ctx, node, out, ELLIPSIS + (int)i);
      }
      s += strspn(s, ".") - 1;
    } else if (letter(*s) >= 0) {
      push(ctx, node, out, letter(*s));
    } else if (*s != ' ') {
      spi_bad(ctx, node, "%c in the equation", *s);
    }
  }
  return s;
}

static uint32_t letters_in(const char *s) {
  uint32_t n = 0;
  for (; *s && *s != ',' && *s != '-'; s++) {
    n += letter(*s) >= 0;
  }
  return n;
}

static void take_sizes(sp_ctx *ctx, const sp_node *node, einsum *e,
                       const labels *l, const sp_shape *a) {
  if (l->n != a->n_dims) {
    spi_bad(ctx, node, "%u indices for %u dimensions", l->n, a->n_dims);
  }
  for (uint32_t d = 0; d < l->n; d++) {
    int64_t *size = &e->size[l->v[d]], have = a->dims[d];
    if (have == 0) {
      spi_unknown(ctx, node, "an einsum over nothing");
    }
    if (*size != 0 && *size != 1 && have != 1 && have != *size) {
      spi_bad(ctx, node, "sizes %lld and %lld for one index", (long long)*size,
              (long long)have);
    }
    *size = *size > have ? *size : have;
  }
}

/* Without an arrow: letters that occur once, in alphabetic order (capitals
 * first), after the dots. */
static void implicit_result(sp_ctx *ctx, const sp_node *node, einsum *e) {
  int count[LABELS] = {0};
  for (uint32_t k = 0; k < e->n_in; k++) {
    for (uint32_t d = 0; d < e->in[k].n; d++) {
      count[e->in[k].v[d]]++;
    }
  }
  for (int v = LABELS; v-- > ELLIPSIS;) {
    if (count[v]) {
      push(ctx, node, &e->out, v);
    }
  }
  for (int i = 0; i < 52; i++) {
    int v = i < 26 ? 26 + i : i - 26;
    if (count[v] == 1) {
      push(ctx, node, &e->out, v);
    }
  }
}

static uint32_t operands_of(sp_ctx *ctx, const sp_node *node, einsum *e) {
  uint32_t n;
  const int64_t *v = spi_arg_operands(node, "tensors", &n);
  if (!v) { /* einsum(text, a, b) */
    const sp_attr *a;
    while (n < 16 &&
           (a = sp_node_attr(node, sp_format(ctx, "arg%u", 1 + n))) != NULL &&
           a->kind == SP_ATTR_OPERAND) {
      e->operand[n++] = (uint32_t)a->u.i;
    }
  }
  if (n == 0) {
    spi_bad(ctx, node, "no operands");
  }
  for (uint32_t i = 0; v && i < n; i++) {
    if (v[i] < 0 || n > 16) {
      spi_bad(ctx, node, "%u operands", n);
    }
    e->operand[i] = (uint32_t)v[i];
  }
  return n;
}

static einsum einsum_of(sp_ctx *ctx, const sp_program *program,
                        const sp_node *node) {
  einsum e = {0};
  const char *s = spi_arg_text(node, "equation");
  e.n_in = operands_of(ctx, node, &e);
  uint32_t most = 0;
  for (uint32_t k = 0; k < e.n_in; k++) {
    const sp_shape *a = spi_in(program, node, e.operand[k]);
    uint32_t named = letters_in(s);
    uint32_t free = a->n_dims > named ? a->n_dims - named : 0;
    most = most > free ? most : free;
    s = read_labels(ctx, node, s, free, &e.in[k]);
    take_sizes(ctx, node, &e, &e.in[k], a);
    if ((*s == ',') != (k + 1 < e.n_in)) {
      spi_bad(ctx, node, "the equation has not %u operands", e.n_in);
    }
    s += *s == ',';
  }
  if (*s == '-' && s[1] == '>') {
    s = read_labels(ctx, node, s + 2, most, &e.out);
  } else if (!*s) {
    implicit_result(ctx, node, &e);
  }
  if (*s) {
    spi_bad(ctx, node, "%s at the end of the equation", s);
  }
  return e;
}

static void einsum_shape(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  einsum e = einsum_of(ctx, program, node);
  spi_dims s = {0};
  bool seen[LABELS] = {false};
  for (uint32_t d = 0; d < e.out.n; d++) {
    int v = e.out.v[d];
    if (seen[v] || e.size[v] == 0) {
      spi_bad(ctx, node, "an index of the result is %s",
              seen[v] ? "there twice" : "in no operand");
    }
    seen[v] = true;
    spi_dims_push(ctx, node, &s, e.size[v]);
  }
  sp_dtype t = spi_in(program, node, e.operand[0])->dtype;
  if (t == SP_PRED) {
    spi_unknown(ctx, node, "products of booleans");
  }
  for (uint32_t k = 1; k < e.n_in; k++) {
    if (sp_dtype_sort(spi_in(program, node, e.operand[k])->dtype) !=
        sp_dtype_sort(t)) {
      spi_unknown(ctx, node, "operands of different types");
    }
  }
  spi_results(ctx, node, 1);
  spi_yields(ctx, program, node, 0, &s, sp_dtype_sort(t));
}

static sp_expr einsum_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  einsum e = einsum_of(spi_call_ctx(call), call->program, call->node);
  sp_dtype t = spi_out_dtype(call);
  sp_expr at[LABELS] = {{0}}, vars[SP_MAX_DIMS], body = {0};
  uint32_t n = 0;
  for (uint32_t d = 0; d < e.out.n; d++) {
    at[e.out.v[d]] = idx[d];
  }
  for (uint32_t k = 0; k < e.n_in; k++) {
    const sp_shape *a = sp_call_shape(call, e.operand[k]);
    sp_expr j[SP_MAX_DIMS] = {{0}};
    for (uint32_t d = 0; d < e.in[k].n; d++) {
      int v = e.in[k].v[d];
      if (!at[v].v) {
        at[v] = vars[n++] = sp_fresh(p, e.size[v]);
      }
      j[d] = a->dims[d] == 1 ? sp_int(p, 0) : at[v];
    }
    sp_expr x = sp_call_read(call, e.operand[k], j);
    body = k == 0 ? x : spi_arith_multiply(call, body, x, t);
  }
  return spi_red(call, SP_REDUCER_SUM, t, n, vars, body);
}

SPI_ATEN(einsum, "str equation, Tensor[] tensors, *, any? path", einsum_shape,
         einsum_element, "sum of products, an index a letter",
         "aten.einsum.default")
SPI_ATEN(einsum_function, "str equation, Tensor... tensors", einsum_shape,
         einsum_element, "sum of products, an index a letter", "torch.einsum",
         "torch.functional.einsum")

extern const sp_op *const sp_ops_aten_einsum[];
const sp_op *const sp_ops_aten_einsum[] = {
    &einsum_row,
    &einsum_function_row,
    NULL,
};
