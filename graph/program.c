/* program.c: the dtype table, then shapes, then sp_program_check. */
#include "graph/program.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

typedef struct dtype_row {
  const char *name;
  int bits;
  char kind; /* s, u, f, c, or 0 */
} dtype_row;

/* clang-format off */
static const dtype_row dtype_rows[] = {
    [SP_DTYPE_INVALID] = {"invalid", 0, 0},
    [SP_PRED] = {"pred", 1, 0},
    [SP_S1] = {"s1", 1, 's'},   [SP_S2] = {"s2", 2, 's'},
    [SP_S4] = {"s4", 4, 's'},   [SP_S8] = {"s8", 8, 's'},
    [SP_S16] = {"s16", 16, 's'}, [SP_S32] = {"s32", 32, 's'},
    [SP_S64] = {"s64", 64, 's'},
    [SP_U1] = {"u1", 1, 'u'},   [SP_U2] = {"u2", 2, 'u'},
    [SP_U4] = {"u4", 4, 'u'},   [SP_U8] = {"u8", 8, 'u'},
    [SP_U16] = {"u16", 16, 'u'}, [SP_U32] = {"u32", 32, 'u'},
    [SP_U64] = {"u64", 64, 'u'},
    [SP_F4E2M1FN] = {"f4e2m1fn", 4, 'f'},
    [SP_F8E5M2] = {"f8e5m2", 8, 'f'},
    [SP_F8E4M3] = {"f8e4m3", 8, 'f'},
    [SP_F8E4M3FN] = {"f8e4m3fn", 8, 'f'},
    [SP_F8E4M3B11FNUZ] = {"f8e4m3b11fnuz", 8, 'f'},
    [SP_F8E3M4] = {"f8e3m4", 8, 'f'},
    [SP_F8E5M2FNUZ] = {"f8e5m2fnuz", 8, 'f'},
    [SP_F8E4M3FNUZ] = {"f8e4m3fnuz", 8, 'f'},
    [SP_F8E8M0FNU] = {"f8e8m0fnu", 8, 'f'},
    [SP_BF16] = {"bf16", 16, 'f'},
    [SP_F16] = {"f16", 16, 'f'},
    [SP_F32] = {"f32", 32, 'f'},
    [SP_F64] = {"f64", 64, 'f'},
    [SP_C64] = {"c64", 64, 'c'},
    [SP_C128] = {"c128", 128, 'c'},
    [SP_TOKEN] = {"token", 0, 0},
};
/* clang-format on */

enum { N_DTYPES = sizeof dtype_rows / sizeof *dtype_rows };

static const dtype_row *dtype_find(sp_dtype t) {
  size_t at = (size_t)t < N_DTYPES ? (size_t)t : 0;
  return &dtype_rows[at];
}

const char *sp_dtype_name(sp_dtype t) {
  return dtype_find(t)->name;
}

sp_dtype sp_dtype_parse(const char *name, size_t n) {
  for (size_t i = 1; i < N_DTYPES; i++) {
    const char *row = dtype_rows[i].name;
    if (row[0] == (n ? name[0] : '\0') && strlen(row) == n &&
        memcmp(row, name, n) == 0) {
      return (sp_dtype)i;
    }
  }
  return SP_DTYPE_INVALID;
}

bool sp_dtype_is_int(sp_dtype t) {
  char kind = dtype_find(t)->kind;
  return kind == 's' || kind == 'u';
}

bool sp_dtype_is_unsigned(sp_dtype t) {
  return dtype_find(t)->kind == 'u';
}

bool sp_dtype_is_float(sp_dtype t) {
  return dtype_find(t)->kind == 'f';
}

int sp_dtype_bits(sp_dtype t) {
  return dtype_find(t)->bits;
}

int64_t sp_shape_elements(const sp_shape *s) {
  int64_t n = 1;
  for (uint32_t d = 0; d < s->n_dims; d++) {
    n *= s->dims[d];
  }
  return n;
}

bool sp_shape_equal(const sp_shape *a, const sp_shape *b) {
  if (a->dtype != b->dtype || a->n_dims != b->n_dims) {
    return false;
  }
  for (uint32_t d = 0; d < a->n_dims; d++) {
    if (a->dims[d] != b->dims[d]) {
      return false;
    }
  }
  return true;
}

const char *sp_number_text(sp_ctx *ctx, sp_dtype t, double v, int digits) {
  if (!isfinite(v)) {
    return isnan(v) ? "nan" : v > 0 ? "inf" : "-inf"; /* NaN has no sign */
  }
  if (t == SP_PRED) {
    return v != 0 ? "true" : "false";
  }
  return sp_dtype_is_int(t) ? sp_format(ctx, "%.0f", v)
                            : sp_format(ctx, "%.*g", digits, v);
}

const char *sp_shape_text(sp_ctx *ctx, const sp_shape *s) {
  sp_str text = {0};
  sp_str_addf(ctx, &text, "%s[", sp_dtype_name(s->dtype));
  for (uint32_t d = 0; d < s->n_dims; d++) {
    sp_str_addf(ctx, &text, "%s%lld", d ? "," : "", (long long)s->dims[d]);
  }
  sp_str_add(ctx, &text, "]");
  return text.v;
}

const sp_attr *sp_node_attr(const sp_node *node, const char *name) {
  for (uint32_t i = 0; i < node->n_attrs; i++) {
    if (strcmp(node->attrs[i].name, name) == 0) {
      return &node->attrs[i];
    }
  }
  return NULL;
}

static void check_that(sp_ctx *ctx, bool ok, const sp_program *p,
                       const char *what, uint32_t at) {
  if (!ok) {
    sp_raise(ctx, SP_ERR_INTERNAL, sp_nowhere(), NULL, "program %s: %s (at %u)",
             p->name ? p->name : "?", what, at);
  }
}

static void check_node(sp_ctx *ctx, const sp_program *p, uint32_t at) {
  const sp_node *n = &p->nodes[at];
  check_that(ctx, n->op && n->name, p, "a node without op or name", at);
  check_that(ctx, n->n_out >= 1, p, "a node without results", at);
  check_that(ctx, n->out <= p->n_tensors && n->n_out <= p->n_tensors - n->out,
             p, "results out of range", at);
  for (uint32_t i = 0; i < n->n_in; i++) {
    check_that(ctx, n->in[i] < n->out, p, "an operand after its user", at);
  }
  for (uint32_t i = 0; i < n->n_out; i++) {
    const sp_tensor *t = &p->tensors[n->out + i];
    check_that(ctx, t->node == at && t->result == i, p,
               "a result that names another node", at);
    check_that(ctx, t->name != NULL, p, "a tensor without name", at);
    check_that(ctx, t->shape.n_dims <= SP_MAX_DIMS, p, "too many dims", at);
  }
  for (uint32_t i = 0; i < n->n_attrs; i++) {
    check_that(ctx, n->attrs[i].name != NULL, p, "a nameless attribute", at);
  }
}

void sp_program_check(sp_ctx *ctx, const sp_program *p) {
  uint32_t tensors = 0;
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    check_that(ctx, p->nodes[i].out == tensors, p, "results not in order", i);
    check_node(ctx, p, i);
    tensors += p->nodes[i].n_out;
  }
  check_that(ctx, tensors == p->n_tensors, p, "tensors without a node",
             tensors);
  check_that(ctx, p->partitions >= 1, p, "no partitions", 0);
  for (uint32_t i = 0; i < p->n_params; i++) {
    check_that(ctx, p->params[i] < p->n_tensors, p, "a parameter out of range",
               i);
  }
  for (uint32_t i = 0; i < p->n_results; i++) {
    uint32_t t = p->results[i];
    check_that(ctx, t < p->n_tensors || t == SP_NO_TENSOR, p,
               "a result out of range", i);
  }
}
