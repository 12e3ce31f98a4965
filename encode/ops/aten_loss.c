/* aten_loss.c: negative log likelihood, cross entropy; losses that compare
 * element by element: aten_loss_compare.c.
 *
 * nll: out[n] = -w[t] x[n, t], t = target[n] (more dimensions may follow), zero
 * where t is ignore_index; then nothing (reduction 0), the sum over that of the
 * weights (1: mean), or the sum (2). */
#include "encode/aten_loss.h"

#include <string.h>

spi_reduction spi_reduction_of(sp_ctx *ctx, const sp_node *node) {
  const char *text = spi_arg_text(node, "reduction");
  if (!text && strstr(sp_op_find(node->op)->params, "str reduction")) {
    text = "mean";
  }
  int64_t k = text ? (strcmp(text, "none") == 0   ? SPI_LOSS_NONE
                      : strcmp(text, "mean") == 0 ? SPI_LOSS_MEAN
                      : strcmp(text, "sum") == 0  ? SPI_LOSS_SUM
                                                  : -1)
                   : spi_arg_int(ctx, node, "reduction");
  if (k < SPI_LOSS_NONE || k > SPI_LOSS_SUM) {
    spi_bad(ctx, node, "no such reduction");
  }
  return (spi_reduction)k;
}

/* ---- shapes ---- */

/* self is [C] or [N, C, ...], target [] or [N, ...]. */
static uint32_t class_dim(const sp_shape *a) {
  return a->n_dims == 1 ? 0 : 1;
}

static void check_classes(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  const sp_shape *a = spi_arg_shape(ctx, program, node, "self");
  const sp_shape *t = spi_arg_shape(ctx, program, node, "target");
  if (a->n_dims < 1) {
    spi_bad(ctx, node, "scores without a dimension");
  }
  int64_t dims[SP_MAX_DIMS];
  uint32_t n = 0;
  for (uint32_t d = 0; d < a->n_dims; d++) {
    if (d != class_dim(a)) {
      dims[n++] = a->dims[d];
    }
  }
  if (!sp_dtype_is_int(t->dtype)) {
    spi_unknown(ctx, node, "targets that are no classes");
  }
  spi_expect_operand(ctx, program, node,
                     (uint32_t)spi_arg_operand(node, "target"), n, dims);
  int64_t w = spi_arg_operand(node, "weight");
  if (w >= 0) {
    spi_expect_operand(ctx, program, node, (uint32_t)w, 1,
                       a->dims + class_dim(a));
  }
}

static void nll_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  check_classes(ctx, program, node);
  const sp_shape *t = spi_arg_shape(ctx, program, node, "target");
  spi_dims s = spi_dims_of(t), scalar = {0};
  bool none = spi_reduction_of(ctx, node) == SPI_LOSS_NONE;
  spi_results(ctx, node, 2);
  spi_yields_like(ctx, program, node, 0, none ? &s : &scalar, "self");
  spi_yields_like(ctx, program, node, 1, &scalar, "self");
}

static void backward_shape(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node) {
  check_classes(ctx, program, node);
  bool none = spi_reduction_of(ctx, node) == SPI_LOSS_NONE;
  const sp_shape *t = spi_arg_shape(ctx, program, node, "target");
  spi_expect_operand(ctx, program, node,
                     (uint32_t)spi_arg_operand(node, "grad_output"),
                     none ? t->n_dims : 0, t->dims);
  spi_expect_operand(ctx, program, node,
                     (uint32_t)spi_arg_operand(node, "total_weight"), 0, NULL);
  spi_shape_like_self(ctx, program, node);
}

/* ---- elements ---- */

typedef struct classes {
  const sp_call *call;
  sp_pool *p;
  const sp_shape *a;
  int64_t ignore;
} classes;

static classes classes_of(const sp_call *call) {
  classes c = {.call = call, .p = call->pool};
  c.a = spi_call_arg_shape(call, "self");
  c.ignore = spi_arg_int(spi_call_ctx(call), call->node, "ignore_index");
  return c;
}

/* The weight of the class, 0 where it is ignored. */
static sp_expr weight_of(const classes *c, sp_expr target, sp_expr bounded) {
  sp_expr w = sp_real_i64(c->p, 1);
  if (spi_arg_operand(c->call->node, "weight") >= 0) {
    w = spi_arg_read(c->call, "weight", &bounded);
  }
  sp_expr ignored = sp_eq(c->p, target, sp_int(c->p, c->ignore));
  return sp_ite(c->p, ignored, sp_real_i64(c->p, 0), w);
}

/* The index of self for one of target and a class. */
static void score_index(const classes *c, const sp_expr *n, sp_expr class,
                        sp_expr *at) {
  for (uint32_t d = 0, k = 0; d < c->a->n_dims; d++) {
    at[d] = d == class_dim(c->a) ? class : n[k++];
  }
}

/* Scores, or their log softmax for a cross entropy; at[] with the class. */
static sp_expr score(const classes *c, const sp_expr *at, bool logits) {
  sp_pool *p = c->p;
  sp_expr x = spi_arg_read(c->call, "self", at);
  if (!logits) {
    return x;
  }
  uint32_t d = class_dim(c->a);
  sp_expr j[SP_MAX_DIMS], k = sp_fresh(p, c->a->dims[d]), m, sum;
  memcpy(j, at, c->a->n_dims * sizeof *j);
  j[d] = k;
  m = spi_red(c->call, SP_REDUCER_MAX, SP_F64, 1, &k,
              spi_arg_read(c->call, "self", j));
  k = sp_fresh(p, c->a->dims[d]);
  j[d] = k;
  sp_expr e = sp_exp(p, sp_sub(p, spi_arg_read(c->call, "self", j), m));
  sum = spi_sum(c->call, 1, &k, e);
  return sp_sub(p, sp_sub(p, x, m), sp_fn1(p, "log", sum));
}

/* -w[t] x[n, t] at n, and the weight. */
static sp_expr loss_at(const classes *c, const sp_expr *n, bool logits,
                       sp_expr *weight) {
  sp_pool *p = c->p;
  sp_expr t = spi_arg_read(c->call, "target", n);
  sp_expr b = spi_bounded(c->call, t, c->a->dims[class_dim(c->a)]);
  sp_expr at[SP_MAX_DIMS] = {{0}};
  score_index(c, n, b, at);
  *weight = weight_of(c, t, b);
  return sp_scale(p, sp_mul(p, *weight, score(c, at, logits)),
                  sp_num_from_i64(p, -1));
}

/* New variables for an index of target. */
static void fresh(const classes *c, sp_expr *n) {
  for (uint32_t d = 0, k = 0; d < c->a->n_dims; d++) {
    if (d != class_dim(c->a)) {
      n[k++] = sp_fresh(c->p, c->a->dims[d]);
    }
  }
}

static sp_expr reduced(const sp_call *call, const sp_expr *idx, bool logits) {
  classes c = classes_of(call);
  sp_pool *p = c.p;
  spi_reduction kind = spi_reduction_of(spi_call_ctx(call), call->node);
  sp_expr w;
  if (kind == SPI_LOSS_NONE && call->result == 0) {
    return loss_at(&c, idx, logits, &w);
  }
  if (kind == SPI_LOSS_NONE && c.a->n_dims > 1) {
    return sp_real_i64(p, 0); /* PyTorch adds up the weight of one row only */
  }
  uint32_t vars = c.a->n_dims - 1;
  sp_expr n[SP_MAX_DIMS] = {{0}};
  fresh(&c, n);
  sp_expr loss = spi_sum(call, vars, n, loss_at(&c, n, logits, &w));
  fresh(&c, n);
  loss_at(&c, n, false, &w);
  sp_expr total = spi_sum(call, vars, n, w);
  if (call->result == 1) {
    return total;
  }
  return kind == SPI_LOSS_MEAN ? sp_div(p, loss, total) : loss;
}

static sp_expr nll_element(const sp_call *call, const sp_expr *idx) {
  return reduced(call, idx, false);
}

static sp_expr cross_entropy_element(const sp_call *call, const sp_expr *idx) {
  return reduced(call, idx, true);
}

/* -w g where the class is the target, over the total weight for a mean */
static sp_expr backward_element(const sp_call *call, const sp_expr *idx) {
  classes c = classes_of(call);
  sp_pool *p = c.p;
  spi_reduction kind = spi_reduction_of(spi_call_ctx(call), call->node);
  uint32_t d = class_dim(c.a);
  sp_expr n[SP_MAX_DIMS] = {{0}};
  for (uint32_t i = 0, k = 0; i < c.a->n_dims; i++) {
    if (i != d) {
      n[k++] = idx[i];
    }
  }
  sp_expr t = spi_arg_read(call, "target", n);
  sp_expr w = weight_of(&c, t, idx[d]);
  sp_expr g = spi_arg_read(call, "grad_output", n);
  if (kind == SPI_LOSS_MEAN) {
    g = sp_div(p, g, spi_arg_read(call, "total_weight", n));
  }
  sp_expr e = sp_scale(p, sp_mul(p, w, g), sp_num_from_i64(p, -1));
  return sp_ite(p, sp_eq(p, t, idx[d]), e, sp_real_i64(p, 0));
}

/* ---- rows ---- */

#define TARGET "Tensor self, Tensor target, Tensor? weight, "

SPI_ATEN(nll_loss_forward, TARGET "int reduction, int ignore_index", nll_shape,
         nll_element,
         "out[n] = -w[t] x[n, t], t = target[n]; reduced; the weights' sum",
         "aten.nll_loss_forward.default", "aten.nll_loss2d_forward.default")
SPI_ATEN(nll_loss, TARGET "int reduction=1, int ignore_index=-100", nll_shape,
         nll_element, "out[n] = -w[t] x[n, t], t = target[n]; reduced",
         "aten.nll_loss.default", "aten.nll_loss2d.default",
         "aten.nll_loss_nd.default", "torch._C._nn.nll_loss_nd")
SPI_ATEN(nll_loss_backward,
         "Tensor grad_output, " TARGET "int reduction, int ignore_index, "
         "Tensor total_weight",
         backward_shape, backward_element,
         "out[n, c] = c == target[n] ? -w[c] g : 0, over the weights' sum",
         "aten.nll_loss_backward.default", "aten.nll_loss2d_backward.default")
SPI_ATEN(cross_entropy_loss,
         TARGET "int reduction=1, int ignore_index=-100, "
                "Scalar label_smoothing=0.0!",
         nll_shape, cross_entropy_element,
         "nll of x[n, c] - log(sum over k of exp(x[n, k]))",
         "aten.cross_entropy_loss.default", "torch._C._nn.cross_entropy_loss")
SPI_ATEN(cross_entropy,
         TARGET "any? size_average!, int ignore_index=-100, any? reduce!, "
                "str reduction=mean, Scalar label_smoothing=0.0!",
         nll_shape, cross_entropy_element,
         "nll of x[n, c] - log(sum over k of exp(x[n, k]))",
         "torch.nn.functional.cross_entropy")
extern const sp_op *const sp_ops_aten_loss[];
const sp_op *const sp_ops_aten_loss[] = {
    &nll_loss_forward_row,   &nll_loss_row,      &nll_loss_backward_row,
    &cross_entropy_loss_row, &cross_entropy_row, NULL,
};
