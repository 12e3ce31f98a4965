/* aten_getitem.c: x[1:, None, ..., 2] and x[...] = v, as Dynamo's graphs have
 * them. The index comes as text, "(slice(0, None, 2), Ellipsis)", unless it is
 * one number, a tuple of numbers, or one tensor.
 *
 * It is read into items, one for each dimension of self or new dimension. */
#include "encode/aten_util.h"

#include <stdlib.h>
#include <string.h>

typedef enum item_kind {
  ITEM_SLICE,
  ITEM_INDEX, /* the dimension goes */
  ITEM_NEW    /* a dimension of size 1 comes */
} item_kind;

typedef struct item {
  item_kind kind;
  int64_t start, step, length;
} item;

typedef struct items {
  uint32_t n;
  item v[2 * SP_MAX_DIMS];
} items;

/* ---- reading the text ---- */

typedef struct reader {
  sp_ctx *ctx;
  const sp_node *node;
  const char *text, *at;
} reader;

static noreturn void not_understood(const reader *r) {
  spi_unknown(r->ctx, r->node, "the index %s is not understood", r->text);
}

static void blanks(reader *r) {
  while (*r->at == ' ' || *r->at == ',') {
    r->at++;
  }
}

static bool word(reader *r, const char *w) {
  size_t n = strlen(w);
  if (strncmp(r->at, w, n) != 0) {
    return false;
  }
  r->at += n;
  return true;
}

/* A number or None. */
static bool number(reader *r, int64_t *v) {
  blanks(r);
  if (word(r, "None")) {
    return false;
  }
  char *end;
  *v = strtoll(r->at, &end, 10);
  if (end == r->at) {
    not_understood(r);
  }
  r->at = end;
  return true;
}

static int64_t limited(int64_t v, int64_t hi) {
  return v < 0 ? 0 : v > hi ? hi : v;
}

static item slice_item(reader *r, int64_t size) {
  item s = {.kind = ITEM_SLICE, .step = 1};
  int64_t stop = size;
  if (number(r, &s.start) && s.start < 0) {
    s.start += size;
  }
  s.start = limited(s.start, size);
  if (number(r, &stop) && stop < 0) {
    stop += size;
  }
  stop = limited(stop, size);
  if (number(r, &s.step) && s.step < 1) {
    not_understood(r);
  }
  blanks(r);
  if (!word(r, ")")) {
    not_understood(r);
  }
  s.length = stop <= s.start ? 0 : (stop - s.start - 1) / s.step + 1;
  return s;
}

static item index_item(const reader *r, int64_t i, int64_t size) {
  item s = {.kind = ITEM_INDEX,
            .start = i < 0 ? i + size : i,
            .step = 1,
            .length = 1};
  if (s.start < 0 || s.start >= size) {
    spi_bad(r->ctx, r->node, "index %lld of %lld", (long long)i,
            (long long)size);
  }
  return s;
}

/* How many dimensions of self the items of the text take. */
static uint32_t taken_by(const char *text) {
  uint32_t n = 0;
  for (const char *s = text; *s;) {
    if (strncmp(s, "slice(", 6) == 0) {
      n++;
      s += strcspn(s, ")");
    } else if (*s == '-' || (*s >= '0' && *s <= '9')) {
      n++;
      s++;
      s += strspn(s, "0123456789");
    } else {
      s++;
    }
  }
  return n;
}

static void push(const reader *r, items *out, item x) {
  if (out->n >= 2 * SP_MAX_DIMS) {
    not_understood(r);
  }
  out->v[out->n++] = x;
}

static int64_t next_size(const reader *r, const sp_shape *a, uint32_t *d) {
  if (*d >= a->n_dims) {
    spi_bad(r->ctx, r->node, "too many indices for %u dimensions", a->n_dims);
  }
  return a->dims[(*d)++];
}

static void whole(const reader *r, items *out, int64_t size) {
  push(r, out, (item){ITEM_SLICE, 0, 1, size});
}

static items items_of_text(sp_ctx *ctx, const sp_node *node, const sp_shape *a,
                           const char *text) {
  reader r = {ctx, node, text, text};
  items out = {0};
  uint32_t d = 0, taken = taken_by(text);
  int64_t v;
  bool tuple = word(&r, "(");
  for (blanks(&r); *r.at && !(tuple && word(&r, ")")); blanks(&r)) {
    if (word(&r, "Ellipsis") || word(&r, "...")) {
      for (uint32_t k = taken; k < a->n_dims; k++) {
        whole(&r, &out, next_size(&r, a, &d));
      }
      taken = a->n_dims; /* a second one is nothing */
    } else if (word(&r, "slice(")) {
      push(&r, &out, slice_item(&r, next_size(&r, a, &d)));
    } else if (!number(&r, &v)) {
      push(&r, &out, (item){ITEM_NEW, 0, 1, 1});
    } else {
      push(&r, &out, index_item(&r, v, next_size(&r, a, &d)));
    }
  }
  if (*r.at) {
    not_understood(&r);
  }
  while (d < a->n_dims) {
    whole(&r, &out, next_size(&r, a, &d));
  }
  return out;
}

static items items_of(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  const sp_attr *key = sp_node_attr(node, "arg1");
  reader r = {ctx, node, "", ""};
  items out = {0};
  uint32_t d = 0;
  if (!key) { /* x[None] */
    return items_of_text(ctx, node, a, "None");
  }
  if (key->kind == SP_ATTR_TEXT) {
    return items_of_text(ctx, node, a, key->u.text);
  }
  const int64_t *v = key->kind == SP_ATTR_INT ? &key->u.i : key->u.ints;
  size_t n = key->kind == SP_ATTR_INT ? 1 : key->n;
  if (key->kind != SP_ATTR_INT && key->kind != SP_ATTR_INTS) {
    spi_unknown(ctx, node, "the index is %s", spi_attr_kind_name(key->kind));
  }
  for (size_t i = 0; i < n; i++) {
    push(&r, &out, index_item(&r, v[i], next_size(&r, a, &d)));
  }
  while (d < a->n_dims) {
    whole(&r, &out, next_size(&r, a, &d));
  }
  return out;
}

/* The sizes of x[...]. */
static spi_dims part_dims(sp_ctx *ctx, const sp_node *node, const items *x) {
  spi_dims s = {0};
  for (uint32_t i = 0; i < x->n; i++) {
    if (x->v[i].kind != ITEM_INDEX) {
      spi_dims_push(ctx, node, &s, x->v[i].length);
    }
  }
  return s;
}

/* ---- x[key] ---- */

/* x[i] with one tensor of integers: rows of x. */
static const sp_shape *tensor_key(const sp_program *program,
                                  const sp_node *node) {
  const sp_attr *key = sp_node_attr(node, "arg1");
  return key && key->kind == SP_ATTR_OPERAND
             ? spi_in(program, node, (uint32_t)key->u.i)
             : NULL;
}

static void getitem_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  const sp_shape *key = tensor_key(program, node);
  spi_dims s;
  if (key) {
    if (!sp_dtype_is_int(key->dtype) || a->n_dims == 0) {
      spi_unknown(ctx, node, "a mask as an index");
    }
    s = spi_dims_of(key);
    for (uint32_t d = 1; d < a->n_dims; d++) {
      spi_dims_push(ctx, node, &s, a->dims[d]);
    }
  } else {
    items x = items_of(ctx, program, node);
    s = part_dims(ctx, node, &x);
  }
  spi_results(ctx, node, 1);
  /* x[0, 1] and x[[0, 1]] come alike; the latter has self's dimensions, and
   * is refused here */
  spi_yields_like(ctx, program, node, 0, &s, "self");
}

static sp_expr row_element(const sp_call *call, const sp_shape *key,
                           const sp_expr *idx) {
  const sp_shape *a = spi_call_arg_shape(call, "self");
  sp_expr j[SP_MAX_DIMS];
  uint32_t k = (uint32_t)sp_node_attr(call->node, "arg1")->u.i;
  j[0] = spi_bounded_signed(call, sp_call_read(call, k, idx), a->dims[0]);
  for (uint32_t d = 1; d < a->n_dims; d++) {
    j[d] = idx[key->n_dims + d - 1];
  }
  return spi_arg_read(call, "self", j);
}

static sp_expr getitem_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  const sp_shape *key = tensor_key(call->program, call->node);
  if (key) {
    return row_element(call, key, idx);
  }
  items x = items_of(spi_call_ctx(call), call->program, call->node);
  sp_expr j[SP_MAX_DIMS];
  uint32_t d = 0, at = 0;
  for (uint32_t i = 0; i < x.n; i++) {
    const item *v = &x.v[i];
    if (v->kind == ITEM_SLICE) {
      j[d++] = sp_iaddc(p, sp_iscale(p, idx[at++], v->step), v->start);
    } else if (v->kind == ITEM_INDEX) {
      j[d++] = sp_int(p, v->start);
    } else {
      at++;
    }
  }
  return spi_arg_read(call, "self", j);
}

/* ---- x[key] = value ---- */

static void setitem_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  items x = items_of(ctx, program, node);
  spi_dims s = part_dims(ctx, node, &x);
  int64_t k = spi_arg_operand(node, "value");
  if (tensor_key(program, node)) {
    spi_unknown(ctx, node, "writes at a tensor of indices");
  }
  if (k >= 0) {
    spi_broadcasts_to(ctx, node, spi_in(program, node, (uint32_t)k), &s);
  }
  spi_shape_like_self(ctx, program, node);
}

static sp_expr setitem_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  items x = items_of(spi_call_ctx(call), call->program, call->node);
  sp_expr inside = sp_bool(p, true), at[2 * SP_MAX_DIMS];
  uint32_t d = 0, n = 0;
  for (uint32_t i = 0; i < x.n; i++) {
    const item *v = &x.v[i];
    if (v->kind == ITEM_NEW) {
      at[n++] = sp_int(p, 0);
      continue;
    }
    sp_expr k = sp_iaddc(p, idx[d++], -v->start);
    if (v->step > 1) {
      sp_expr rest = sp_imod(p, k, v->step);
      inside = sp_and(p, inside, sp_eq(p, rest, sp_int(p, 0)));
      k = sp_idiv(p, k, v->step);
    }
    inside = sp_and(p, inside, spi_inside(p, k, v->length));
    if (v->kind == ITEM_SLICE) {
      at[n++] = k;
    }
  }
  sp_expr old = spi_arg_read(call, "self", idx);
  if (sp_is_false(p, inside)) {
    return old;
  }
  return sp_ite(p, inside,
                spi_arg_value(call, "value", n, at, spi_out_dtype(call)), old);
}

SPI_ATEN(getitem, "Tensor self, Key key", getitem_shape, getitem_element,
         "out = x[key]: slices, numbers, None, Ellipsis, one tensor",
         "operator.getitem")
SPI_ATEN(setitem, "Tensor self, Key key, Value value", setitem_shape,
         setitem_element, "out = x with x[key] replaced by the value",
         "operator.setitem")

extern const sp_op *const sp_ops_aten_getitem[];
const sp_op *const sp_ops_aten_getitem[] = {
    &getitem_row,
    &setitem_row,
    NULL,
};
