/* fx_inverse.c: what a write to a view means for the tensor that it views:
 * layout operators are undone, the view is put into its place in the others.
 * The meaning of each operator made here is the operator table's. */
#include "graph/fx_i.h"

#include "base/arith.h"

#include <string.h>

typedef struct undo {
  fx_build *b;
  const fx_var *view, *whole;
  const sp_node *node; /* that made the view */
  uint32_t tensor;     /* the view's new value */
  sp_attr attrs[24];
  uint32_t n_attrs;
  uint32_t n_in;
  uint32_t in[2];
} undo;

static noreturn void cannot(undo *u) {
  sp_raise(u->b->ctx, SP_ERR_UNKNOWN, u->b->stmt->pos.dump,
           "capture the graph after functionalization",
           "'%.80s' is written, a view that %.120s made in line %u, and we "
           "cannot follow that to '%.80s'",
           u->view->name, u->node->op, u->node->pos.dump.line, u->whole->name);
}

static void attr_add(undo *u, sp_attr a) {
  if (u->n_attrs == sizeof u->attrs / sizeof *u->attrs) {
    cannot(u);
  }
  u->attrs[u->n_attrs++] = a;
}

static void attr_operand(undo *u, uint32_t tensor) {
  sp_attr a = {.name = fx_arg_name(u->b->ctx, u->n_in),
               .kind = SP_ATTR_OPERAND};
  a.u.i = u->n_in;
  u->in[u->n_in++] = tensor;
  attr_add(u, a);
}

static void attr_int(undo *u, int64_t v) {
  sp_attr a = {.name = fx_arg_name(u->b->ctx, u->n_attrs), .kind = SP_ATTR_INT};
  a.u.i = v;
  attr_add(u, a);
}

static uint32_t finish(undo *u, const char *op) {
  sp_ctx *ctx = u->b->ctx;
  uint32_t *in = sp_alloc_n(ctx, u->n_in, sizeof *in);
  memcpy(in, u->in, u->n_in * sizeof *in);
  sp_attr *attrs = sp_alloc_n(ctx, u->n_attrs, sizeof *attrs);
  memcpy(attrs, u->attrs, u->n_attrs * sizeof *attrs);
  sp_node n = {.op = sp_intern(ctx, op, strlen(op)),
               .n_in = u->n_in,
               .in = in,
               .n_out = 1,
               .n_attrs = u->n_attrs,
               .attrs = attrs,
               .pos = u->b->stmt->pos};
  n.name = sp_format(ctx, "%s'%u", u->whole->name, ++u->b->n_made);
  sp_shape shape = u->whole->shape;
  return fx_node(u->b, &n, true, &shape, NULL);
}

static bool shape_known(const sp_shape *s) {
  return s->dtype != SP_DTYPE_INVALID;
}

static uint32_t undo_reshape(undo *u) {
  const sp_shape *s = &u->whole->shape;
  if (!shape_known(s) || !shape_known(&u->view->shape) ||
      sp_shape_elements(s) != sp_shape_elements(&u->view->shape)) {
    cannot(u);
  }
  attr_operand(u, u->tensor);
  sp_attr a = {.name = fx_arg_name(u->b->ctx, 1), .kind = SP_ATTR_INTS};
  a.u.ints = s->dims;
  a.n = s->n_dims;
  attr_add(u, a);
  return finish(u, "aten.view.default");
}

/* The view's other arguments again, from position 1 on, `shift` later. */
static void args_again(undo *u, uint32_t shift) {
  for (uint32_t i = 0; i < u->node->n_attrs; i++) {
    sp_attr a = u->node->attrs[i];
    if (a.kind == SP_ATTR_OPERAND || a.kind == SP_ATTR_OPERANDS) {
      if (a.kind == SP_ATTR_OPERAND && a.u.i == 0) {
        continue;
      }
      cannot(u);
    }
    uint32_t position = 0;
    const char *digits = a.name + 3;
    if (strncmp(a.name, "arg", 3) == 0 && *digits) {
      for (; *digits >= '0' && *digits <= '9' && position < 1000; digits++) {
        position = position * 10 + (uint32_t)(*digits - '0');
      }
      if (*digits == '\0') {
        a.name = fx_arg_name(u->b->ctx, position + shift);
      }
    }
    attr_add(u, a);
  }
}

static uint32_t undo_self(undo *u) {
  attr_operand(u, u->tensor);
  args_again(u, 0);
  return finish(u, u->node->op);
}

/* permute(x, [1, 2, 0]) or x.permute(1, 2, 0) */
static uint32_t undo_permute(undo *u) {
  uint32_t n = u->whole->shape.n_dims;
  const sp_attr *list = sp_node_attr(u->node, "arg1");
  int64_t *back = sp_alloc_n(u->b->ctx, n, sizeof *back);
  if (!shape_known(&u->whole->shape) || !list) {
    cannot(u);
  }
  bool one = list->kind == SP_ATTR_INTS;
  if ((one && list->n != n) || (!one && u->node->n_attrs != n + 1)) {
    cannot(u);
  }
  for (uint32_t i = 0; i < n; i++) {
    back[i] = -1;
  }
  for (uint32_t i = 0; i < n; i++) {
    const sp_attr *a =
        one ? list : sp_node_attr(u->node, fx_arg_name(u->b->ctx, i + 1));
    if (!a || (!one && a->kind != SP_ATTR_INT)) {
      cannot(u);
    }
    int64_t d = one ? a->u.ints[i] : a->u.i;
    d = d < 0 ? d + n : d;
    if (d < 0 || d >= n || back[d] >= 0) {
      cannot(u);
    }
    back[d] = i;
  }
  attr_operand(u, u->tensor);
  sp_attr a = {.name = fx_arg_name(u->b->ctx, 1), .kind = SP_ATTR_INTS};
  a.u.ints = back;
  a.n = n;
  attr_add(u, a);
  return finish(u, "aten.permute.default");
}

static uint32_t undo_scatter(undo *u, const char *op) {
  attr_operand(u, u->whole->tensor);
  attr_operand(u, u->tensor);
  args_again(u, 1);
  return finish(u, op);
}

/* --- parts along one dimension --- */

/* An integer argument at a position or by name; false when it is there but no
 * number. */
static bool int_arg(undo *u, uint32_t position, const char *name,
                    int64_t *out) {
  const sp_attr *a = sp_node_attr(u->node, fx_arg_name(u->b->ctx, position));
  a = a ? a : sp_node_attr(u->node, name);
  if (a && a->kind == SP_ATTR_INT) {
    *out = a->u.i;
  }
  return !a || a->kind == SP_ATTR_INT;
}

/* The dimension, in range. */
static uint32_t dim_arg(undo *u, uint32_t position) {
  int64_t dim = 0, n = u->whole->shape.n_dims;
  if (!int_arg(u, position, "dim", &dim) || !shape_known(&u->whole->shape) ||
      !shape_known(&u->view->shape)) {
    cannot(u);
  }
  dim = dim < 0 ? dim + n : dim;
  if (dim < 0 || dim >= n) {
    cannot(u);
  }
  return (uint32_t)dim;
}

static uint32_t put_slice(undo *u, uint32_t dim, int64_t start, int64_t size) {
  if (start < 0 || size < 0 || size > u->whole->shape.dims[dim] ||
      start > u->whole->shape.dims[dim] - size) {
    cannot(u);
  }
  attr_operand(u, u->whole->tensor);
  attr_operand(u, u->tensor);
  attr_int(u, dim);
  attr_int(u, start);
  attr_int(u, start + size);
  return finish(u, "aten.slice_scatter.default");
}

/* split(x, 2, dim) and split(x, [2, 3], dim) */
static uint32_t undo_split(undo *u) {
  uint32_t dim = dim_arg(u, 2);
  if (dim >= u->view->shape.n_dims) {
    cannot(u);
  }
  const sp_attr *sizes = sp_node_attr(u->node, "arg1");
  int64_t start = 0;
  if (sizes && sizes->kind == SP_ATTR_INT) {
    if (!sp_mul_ok(sizes->u.i, u->view->result, &start)) {
      cannot(u);
    }
  } else if (sizes && sizes->kind == SP_ATTR_INTS &&
             u->view->result < sizes->n) {
    for (uint32_t i = 0; i < u->view->result; i++) {
      if (!sp_add_ok(start, sizes->u.ints[i], &start)) {
        cannot(u);
      }
    }
  } else {
    cannot(u);
  }
  return put_slice(u, dim, start, u->view->shape.dims[dim]);
}

static uint32_t undo_narrow(undo *u) {
  uint32_t dim = dim_arg(u, 1);
  int64_t start = -1, size = -1;
  if (!int_arg(u, 2, "start", &start) || !int_arg(u, 3, "length", &size)) {
    cannot(u);
  }
  start = start < 0 ? start + u->whole->shape.dims[dim] : start;
  return put_slice(u, dim, start, size);
}

static uint32_t undo_unbind(undo *u) {
  uint32_t dim = dim_arg(u, 1);
  attr_operand(u, u->whole->tensor);
  attr_operand(u, u->tensor);
  attr_int(u, dim);
  attr_int(u, u->view->result);
  return finish(u, "aten.select_scatter.default");
}

static uint32_t undo_getitem(undo *u) {
  attr_operand(u, u->whole->tensor);
  args_again(u, 0);
  /* the value is argument 2, also where the index is None: no attribute */
  sp_attr a = {.name = fx_arg_name(u->b->ctx, 2), .kind = SP_ATTR_OPERAND};
  a.u.i = 1;
  u->in[u->n_in++] = u->tensor;
  attr_add(u, a);
  return finish(u, "operator.setitem");
}

uint32_t fx_view_undo(fx_build *b, uint32_t var, uint32_t tensor) {
  /* copies: nodes and variables move when there are more of them */
  fx_var view = b->vars.v[var], whole = b->vars.v[view.parent];
  sp_node node = b->nodes.v[view.node];
  undo u = {
      .b = b, .view = &view, .whole = &whole, .node = &node, .tensor = tensor};
  switch (view.inverse) {
  case FX_INV_RESHAPE:
    return undo_reshape(&u);
  case FX_INV_SELF:
    return undo_self(&u);
  case FX_INV_PERMUTE:
    return undo_permute(&u);
  case FX_INV_SLICE:
    return undo_scatter(&u, "aten.slice_scatter.default");
  case FX_INV_SELECT:
    return undo_scatter(&u, "aten.select_scatter.default");
  case FX_INV_DIAGONAL:
    return undo_scatter(&u, "aten.diagonal_scatter.default");
  case FX_INV_SPLIT:
    return undo_split(&u);
  case FX_INV_UNBIND:
    return undo_unbind(&u);
  case FX_INV_NARROW:
    return undo_narrow(&u);
  case FX_INV_SETITEM:
    return undo_getitem(&u);
  case FX_INV_NONE:
    break;
  }
  cannot(&u);
}
