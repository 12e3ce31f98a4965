/* fx_ops.c: what PyTorch operators do to the memory of their arguments. Not
 * what they compute. Sources: native_functions.yaml (the alias annotations of
 * the schemas), torch/nn/functional.py (inplace arguments).
 *
 * A name is taken apart into a family and a base name: "aten.view.default" is
 * view of aten, "method.view", "torch.view" and "torch.nn.functional.relu" are
 * of Python. Operators of aten and of the dispatcher say by their names what
 * they write; Python functions that the tables do not know may return a view,
 * custom operators that return nothing may write. */
#include "graph/fx_i.h"

#include <string.h>

typedef enum family {
  FAMILY_ATEN,
  FAMILY_PYTHON,   /* functions of torch, methods, attributes */
  FAMILY_OPERATOR, /* of Python's operator module */
  FAMILY_C10D,     /* writes its arguments where the name ends in _ */
  FAMILY_FUNCOL,   /* functional collectives */
  FAMILY_CUSTOM,
} family;

typedef struct target {
  family family;
  fx_slice space, base, overload; /* overload may be empty */
} target;

static bool slice_begins(fx_slice s, const char *what) {
  size_t n = strlen(what);
  return s.n >= n && memcmp(s.s, what, n) == 0;
}

static fx_slice part(const char *s, const char *e) {
  return (fx_slice){s, (size_t)(e - s)};
}

static target target_of(const char *op) {
  const char *end = op + strlen(op), *dot = strchr(op, '.');
  target t = {.family = FAMILY_PYTHON, .space = part(op, dot ? dot : end)};
  if (!dot) {
    t.base = t.space;
    return t;
  }
  const char *last = strrchr(op, '.');
  if (fx_slice_is(t.space, "torch") || fx_slice_is(t.space, "method") ||
      fx_slice_is(t.space, "getattr")) {
    t.space = part(op, last);
    t.base = part(last + 1, end);
    return t;
  }
  const char *next = strchr(dot + 1, '.');
  t.base = part(dot + 1, next ? next : end);
  t.overload = next ? part(next + 1, end) : part(end, end);
  t.family = FAMILY_CUSTOM;
  if (fx_slice_is(t.space, "aten") || fx_slice_is(t.space, "prims")) {
    t.family = FAMILY_ATEN;
  } else if (fx_slice_is(t.space, "operator")) {
    t.family = FAMILY_OPERATOR;
  } else if (fx_slice_is(t.space, "c10d")) {
    t.family = FAMILY_C10D;
  } else if (slice_begins(t.space, "_c10d_functional") ||
             fx_slice_is(t.space, "c10d_functional") ||
             fx_slice_is(t.space, "_dtensor")) {
    t.family = FAMILY_FUNCOL;
  }
  return t;
}

/* --- views --- */

typedef struct alias_row {
  const char *name;
  fx_alias alias;
  fx_inverse inverse;
} alias_row;

/* clang-format off */
static const alias_row alias_rows[] = {
    {"detach", FX_SAME, FX_INV_NONE},
    {"detach_", FX_SAME, FX_INV_NONE},
    {"alias", FX_SAME, FX_INV_NONE},
    {"lift_fresh", FX_SAME, FX_INV_NONE},
    {"requires_grad_", FX_SAME, FX_INV_NONE},
    {"wait_tensor", FX_SAME, FX_INV_NONE},
    {"view_of", FX_SAME, FX_INV_NONE},
    {"data", FX_SAME, FX_INV_NONE},
    {"lift", FX_SAME, FX_INV_NONE},
    {"view", FX_VIEW, FX_INV_RESHAPE},
    {"_unsafe_view", FX_VIEW, FX_INV_RESHAPE},
    {"_reshape_alias", FX_VIEW, FX_INV_RESHAPE},
    {"view_as", FX_VIEW, FX_INV_RESHAPE},
    {"unsqueeze", FX_VIEW, FX_INV_RESHAPE},
    {"squeeze", FX_VIEW, FX_INV_RESHAPE},
    {"unflatten", FX_VIEW, FX_INV_RESHAPE},
    {"t", FX_VIEW, FX_INV_SELF},
    {"T", FX_VIEW, FX_INV_NONE},
    {"mT", FX_VIEW, FX_INV_SELF},
    {"transpose", FX_VIEW, FX_INV_SELF},
    {"swapaxes", FX_VIEW, FX_INV_SELF},
    {"swapdims", FX_VIEW, FX_INV_SELF},
    {"permute", FX_VIEW, FX_INV_PERMUTE},
    {"movedim", FX_VIEW, FX_INV_NONE},
    {"moveaxis", FX_VIEW, FX_INV_NONE},
    {"numpy_T", FX_VIEW, FX_INV_NONE},
    {"matrix_H", FX_VIEW, FX_INV_NONE},
    {"adjoint", FX_VIEW, FX_INV_NONE},
    {"expand", FX_VIEW, FX_INV_NONE},
    {"expand_as", FX_VIEW, FX_INV_NONE},
    {"broadcast_to", FX_VIEW, FX_INV_NONE},
    {"broadcast_in_dim", FX_VIEW, FX_INV_NONE},
    {"slice", FX_VIEW, FX_INV_SLICE},
    {"select", FX_VIEW, FX_INV_SELECT},
    {"diagonal", FX_VIEW, FX_INV_DIAGONAL},
    {"narrow", FX_VIEW, FX_INV_NARROW},
    {"split", FX_VIEW, FX_INV_SPLIT},
    {"split_with_sizes", FX_VIEW, FX_INV_SPLIT},
    {"unsafe_split", FX_VIEW, FX_INV_SPLIT},
    {"unsafe_split_with_sizes", FX_VIEW, FX_INV_SPLIT},
    {"chunk", FX_VIEW, FX_INV_NONE},
    {"unsafe_chunk", FX_VIEW, FX_INV_NONE},
    {"linalg_diagonal", FX_VIEW, FX_INV_NONE},
    {"tensor_split", FX_VIEW, FX_INV_NONE},
    {"hsplit", FX_VIEW, FX_INV_NONE},
    {"vsplit", FX_VIEW, FX_INV_NONE},
    {"dsplit", FX_VIEW, FX_INV_NONE},
    {"unbind", FX_VIEW, FX_INV_UNBIND},
    {"unfold", FX_VIEW, FX_INV_NONE},
    {"real", FX_VIEW, FX_INV_NONE},
    {"imag", FX_VIEW, FX_INV_NONE},
    {"view_as_real", FX_VIEW, FX_INV_NONE},
    {"view_as_complex", FX_VIEW, FX_INV_NONE},
    {"split_dim", FX_VIEW, FX_INV_NONE},
    {"collapse_view", FX_VIEW, FX_INV_NONE},
    /* It reads memory, not elements: no function of its argument's value. */
    {"as_strided", FX_MAY_VIEW, FX_INV_NONE},
    {"reshape", FX_MAY_VIEW, FX_INV_NONE},
    {"reshape_as", FX_MAY_VIEW, FX_INV_NONE},
    {"flatten", FX_MAY_VIEW, FX_INV_NONE},
    {"ravel", FX_MAY_VIEW, FX_INV_NONE},
    {"contiguous", FX_MAY_VIEW, FX_INV_NONE},
    {"to", FX_MAY_VIEW, FX_INV_NONE},
    {"type_as", FX_MAY_VIEW, FX_INV_NONE},
    {"positive", FX_MAY_VIEW, FX_INV_NONE},
    {"conj", FX_MAY_VIEW, FX_INV_NONE},
    {"_conj", FX_MAY_VIEW, FX_INV_NONE},
    {"_neg_view", FX_MAY_VIEW, FX_INV_NONE},
    {"resolve_conj", FX_MAY_VIEW, FX_INV_NONE},
    {"resolve_neg", FX_MAY_VIEW, FX_INV_NONE},
    {"sum_to_size", FX_MAY_VIEW, FX_INV_NONE},
    {"atleast_1d", FX_MAY_VIEW, FX_INV_NONE},
    {"atleast_2d", FX_MAY_VIEW, FX_INV_NONE},
    {"atleast_3d", FX_MAY_VIEW, FX_INV_NONE},
    {"dropout", FX_MAY_VIEW, FX_INV_NONE},
    {"pin_memory", FX_MAY_VIEW, FX_INV_NONE},
    {"einsum", FX_MAY_VIEW, FX_INV_NONE},
    {"meshgrid", FX_MAY_VIEW, FX_INV_NONE},
    {"broadcast_tensors", FX_MAY_VIEW, FX_INV_NONE},
    {"flatten_dense_tensors", FX_MAY_VIEW, FX_INV_NONE},
    {"unflatten_dense_tensors", FX_MAY_VIEW, FX_INV_NONE},
    {"_autocast_to_reduced_precision", FX_MAY_VIEW, FX_INV_NONE},
    {"_autocast_to_full_precision", FX_MAY_VIEW, FX_INV_NONE},
};

/* Functions and methods of Python that return memory of their own. */
static const char *const fresh_names[] = {
    "abs", "adaptive_avg_pool2d", "add", "addmm", "all", "amax", "amin", "any",
    "arange", "argmax", "argmin", "argsort", "avg_pool2d", "baddbmm",
    "batch_norm", "bernoulli", "bmm", "cat", "clamp", "clone", "conv1d",
    "conv2d", "conv3d", "conv_transpose2d", "cos", "cross_entropy", "cumsum", "div",
    "embedding", "empty", "empty_like", "eq", "erf", "exp",
    "exponential", "fill", "floor", "full", "full_like", "gather", "ge",
    "gelu", "group_norm", "gt", "index_select", "isnan", "layer_norm", "le", "linear",
    "log", "log_softmax", "logical_and", "logical_not", "logical_or",
    "logsumexp", "lt", "masked_fill", "matmul", "max", "max_pool2d", "maximum", "mean",
    "min", "minimum", "mm", "mul", "multiply", "ne", "neg", "new_empty",
    "new_full", "new_ones", "new_zeros", "nll_loss", "norm", "one_hot",
    "ones", "ones_like", "outer", "pow", "prod", "rand", "randn",
    "reciprocal", "relu", "repeat", "repeat_interleave", "rms_norm", "roll",
    "rsqrt", "scaled_dot_product_attention", "scatter", "scatter_add",
    "sigmoid", "silu", "sin", "softmax", "sort", "sqrt", "square", "stack",
    "std", "sub", "subtract", "sum", "tanh", "tile", "topk", "tril", "triu",
    "true_divide", "truediv", "var", "where", "zeros", "zeros_like",
};
/* clang-format on */

static void alias_find(const target *t, fx_effect *e) {
  for (size_t i = 0; i < sizeof alias_rows / sizeof *alias_rows; i++) {
    if (fx_slice_is(t->base, alias_rows[i].name)) {
      e->alias = alias_rows[i].alias;
      e->inverse = alias_rows[i].inverse;
      /* prims has other arguments for the same names */
      if (fx_slice_is(t->space, "prims") && e->alias == FX_VIEW) {
        e->alias = FX_MAY_VIEW;
      }
      return;
    }
  }
  if (t->family != FAMILY_PYTHON) {
    return;
  }
  for (size_t i = 0; i < sizeof fresh_names / sizeof *fresh_names; i++) {
    if (fx_slice_is(t->base, fresh_names[i])) {
      return;
    }
  }
  e->alias = FX_MAY_VIEW;
}

/* x[...] of a tensor is a view unless a tensor or a list of numbers is in the
 * index. What a name stands for is not known here. */
static void getitem_effect(const fx_stmt *s, fx_effect *e) {
  const fx_value *index = s->n_args == 2 ? &s->args[1].value : NULL;
  e->alias = FX_MAY_VIEW;
  if (!index || index->kind == FX_VALUE_NAME ||
      (index->kind == FX_VALUE_LIST && index->text[0] == '[')) {
    return;
  }
  for (uint32_t i = 0; i < index->n; i++) {
    const fx_value *v = &index->items[i];
    if (v->kind == FX_VALUE_NAME || v->kind == FX_VALUE_LIST) {
      return;
    }
  }
  e->alias = FX_VIEW;
  e->inverse = FX_INV_SETITEM;
}

/* --- writes --- */

/* In-place operators that change shape or storage, or more than the first
 * argument. */
static const char *const odd_names[] = {
    "resize_",
    "resize_as_",
    "set_",
    "t_",
    "transpose_",
    "squeeze_",
    "swapaxes_",
    "swapdims_",
    "unsqueeze_",
    "as_strided_",
    "rename_",
    "share_memory_",
    "_amp_foreach_non_finite_check_and_unscale_",
    "_amp_update_scale_",
    "sparse_resize_",
    "sparse_resize_and_clear_",
    "_resize_output_",
    "copy_to",
    "copy_strided",
    "resize",
};

static bool is_odd(fx_slice base) {
  for (size_t i = 0; i < sizeof odd_names / sizeof *odd_names; i++) {
    if (fx_slice_is(base, odd_names[i])) {
      return true;
    }
  }
  return slice_begins(base, "_fused_") && base.s[base.n - 1] == '_';
}

/* A step of Adam for lists of tensors; with an underscore it writes them. */
static bool is_optimizer(fx_slice base) {
  static const char *const names[] = {"_fused_adam", "_fused_adam_",
                                      "_fused_adamw", "_fused_adamw_"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (fx_slice_is(base, names[i])) {
      return true;
    }
  }
  return false;
}

static bool ends_in_one_underscore(fx_slice s) {
  return s.n > 1 && s.s[s.n - 1] == '_' && s.s[s.n - 2] != '_';
}

static const char *join(sp_ctx *ctx, fx_slice space, fx_slice base,
                        fx_slice overload) {
  sp_str s = {0};
  sp_str_addn(ctx, &s, space.s, space.n);
  sp_str_add(ctx, &s, ".");
  sp_str_addn(ctx, &s, base.s, base.n);
  if (overload.n) {
    sp_str_add(ctx, &s, ".");
    sp_str_addn(ctx, &s, overload.s, overload.n);
  }
  return sp_intern(ctx, s.v, s.n);
}

static const char *intern(sp_ctx *ctx, const char *s) {
  return sp_intern(ctx, s, strlen(s));
}

/* The functional variant of x.name_(...). */
static const char *functional(sp_ctx *ctx, const target *t, const fx_stmt *s) {
  if (fx_slice_is(t->base, "zero_")) {
    return intern(ctx, "aten.zeros_like.default");
  }
  if (t->family == FAMILY_PYTHON && fx_slice_is(t->base, "copy_")) {
    return intern(ctx, "aten.copy.default");
  }
  if (t->family == FAMILY_PYTHON && fx_slice_is(t->base, "fill_")) {
    bool tensor = s->n_args > 1 && s->args[1].value.kind == FX_VALUE_NAME;
    return intern(ctx, tensor ? "aten.fill.Tensor" : "aten.fill.Scalar");
  }
  fx_slice base = t->base;
  if (slice_begins(base, "__i")) {
    const char *name = sp_format(ctx, "__%.*s", (int)(base.n - 3), base.s + 3);
    return join(ctx, t->space, part(name, name + strlen(name)), t->overload);
  }
  base.n--;
  return join(ctx, t->space, base, t->overload);
}

/* The overload without "out": "out" is default or Tensor, "dim_IntList_out"
 * and "Scalar_out" are themselves. */
static const char *functional_out(sp_ctx *ctx, const target *t) {
  static const char *const binary[] = {"add", "sub", "mul", "div", "eq",
                                       "ne",  "lt",  "le",  "gt",  "ge"};
  fx_slice o = t->overload, base = t->base;
  if (base.n > 4 && memcmp(base.s + base.n - 4, "_out", 4) == 0) {
    base.n -= 4; /* all_gather_into_tensor_out */
    return join(ctx, t->space, base, o);
  }
  if (o.n > 4 && memcmp(o.s + o.n - 4, "_out", 4) == 0) {
    o.n -= 4;
    if (fx_slice_is(t->base, "sum") && fx_slice_is(o, "IntList")) {
      o = (fx_slice){"dim_IntList", 11};
    }
    return join(ctx, t->space, t->base, o);
  }
  if (!fx_slice_is(o, "out")) {
    return join(ctx, t->space, t->base, o);
  }
  const char *name = "default";
  for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
    if (fx_slice_is(t->base, binary[i])) {
      name = "Tensor";
    }
  }
  return join(ctx, t->space, t->base, part(name, name + strlen(name)));
}

static const fx_value *keyword(const fx_stmt *s, const char *name) {
  for (uint32_t i = 0; i < s->n_args; i++) {
    if (s->args[i].name && strcmp(s->args[i].name, name) == 0) {
      return &s->args[i].value;
    }
  }
  return NULL;
}

typedef struct inplace_row {
  const char *name;
  uint32_t position;
} inplace_row;

/* torch.nn.functional: where the argument "inplace" stands. */
static const inplace_row inplace_rows[] = {
    {"relu", 1},        {"relu6", 1},         {"silu", 1},
    {"mish", 1},        {"selu", 1},          {"hardswish", 1},
    {"hardsigmoid", 1}, {"leaky_relu", 2},    {"elu", 2},
    {"celu", 2},        {"hardtanh", 3},      {"threshold", 3},
    {"dropout", 3},     {"alpha_dropout", 2}, {"dropout1d", 3},
    {"dropout2d", 3},   {"dropout3d", 3},     {"feature_alpha_dropout", 3},
    {"rrelu", 4},
};

/* Is there an argument "inplace", and is it on? It is dropped: the program
 * says by its structure what is written. */
static bool inplace_argument(const target *t, const fx_stmt *s, fx_effect *e) {
  const fx_value *v = keyword(s, "inplace");
  if (v) {
    e->drop_name = "inplace";
    return v->kind != FX_VALUE_INT || v->i != 0;
  }
  for (size_t i = 0; i < sizeof inplace_rows / sizeof *inplace_rows; i++) {
    uint32_t at = inplace_rows[i].position;
    if (fx_slice_is(t->space, "torch.nn.functional") &&
        fx_slice_is(t->base, inplace_rows[i].name) && at < s->n_args &&
        !s->args[at].name) {
      e->drop_position = at;
      v = &s->args[at].value;
      return v->kind != FX_VALUE_INT || v->i != 0;
    }
  }
  return false;
}

static bool is_batch_norm(fx_slice base) {
  return fx_slice_is(base, "batch_norm") ||
         fx_slice_is(base, "native_batch_norm") ||
         fx_slice_is(base, "cudnn_batch_norm") ||
         fx_slice_is(base, "miopen_batch_norm") ||
         fx_slice_is(base, "_batch_norm_with_update") ||
         fx_slice_is(base, "_native_batch_norm_legit") ||
         fx_slice_is(base, "instance_norm") ||
         fx_slice_is(base, "sync_batch_norm");
}

static void writes(fx_effect *e, fx_write write, const char *op) {
  e->write = write;
  e->op = op;
}

/* Does a custom operator return nothing that we can see? Then it is there for
 * what it writes. */
static bool returns_nothing(const fx_stmt *s) {
  return s->annot.kind == FX_ANNOT_NO && s->n_results == 0;
}

static void write_find(sp_ctx *ctx, const target *t, const fx_stmt *s,
                       fx_effect *e) {
  bool underscore = ends_in_one_underscore(t->base);
  bool inplace_dunder = slice_begins(t->base, "__i") && t->base.n > 5 &&
                        t->base.s[t->base.n - 1] == '_' &&
                        !fx_slice_is(t->base, "__invert__") &&
                        !fx_slice_is(t->base, "__index__");
  const fx_value *out = keyword(s, "out");
  if (t->family == FAMILY_CUSTOM) {
    bool known = fx_slice_is(t->space, "higher_order");
    if (underscore || (!known && returns_nothing(s))) {
      e->write = FX_WRITES_MAYBE;
    }
  } else if (e->alias == FX_SAME) {
    return; /* detach_, requires_grad_ */
  } else if (t->family == FAMILY_ATEN && is_optimizer(t->base)) {
    e->lists = !underscore;
    if (underscore) {
      writes(e, FX_WRITES_LISTS, functional(ctx, t, s));
    }
  } else if (is_odd(t->base)) {
    e->write = FX_WRITES_ODD;
  } else if (t->family == FAMILY_C10D) {
    if (underscore) {
      writes(e, FX_WRITES_FIRST, s->op);
    }
  } else if (out && out->kind != FX_VALUE_NONE) {
    writes(e, out->kind == FX_VALUE_NAME ? FX_WRITES_OUT : FX_WRITES_ODD,
           functional_out(ctx, t));
    e->drop_name = "out";
  } else if (underscore || inplace_dunder) {
    writes(e, FX_WRITES_FIRST, functional(ctx, t, s));
  } else if (t->family == FAMILY_PYTHON && inplace_argument(t, s, e)) {
    writes(e, FX_WRITES_FIRST, s->op);
  } else if (is_batch_norm(t->base)) {
    e->write = FX_WRITES_BN;
  } else if (fx_slice_is(t->base, "rrelu_with_noise")) {
    e->write = FX_WRITES_ODD;
  }
}

fx_effect fx_effect_of(sp_ctx *ctx, const fx_stmt *s) {
  fx_effect e = {.op = s->op, .drop_position = FX_NONE};
  if (s->in_place) {
    writes(&e, FX_WRITES_FIRST, s->op);
    return e;
  }
  target t = target_of(s->op);
  if (t.family == FAMILY_OPERATOR) {
    if (fx_slice_is(t.base, "getitem")) {
      getitem_effect(s, &e);
    } else if (fx_slice_is(t.base, "pos")) {
      e.alias = FX_MAY_VIEW;
    }
    return e;
  }
  if (t.family != FAMILY_CUSTOM && t.family != FAMILY_C10D) {
    alias_find(&t, &e);
  }
  /* view.dtype shows the bytes of the same memory as another type */
  if (e.inverse == FX_INV_RESHAPE && s->n_args > 1 &&
      s->args[1].value.kind == FX_VALUE_TEXT) {
    e.inverse = FX_INV_NONE;
  }
  write_find(ctx, &t, s, &e);
  return e;
}
