/* custom_call.c: the custom calls that leave values alone (annotations of
 * shardings), TopK, which XLA makes of a sort, the borders of manual mode
 * (encode/manual.h), and calls that say along how many dimensions they work
 * element by element (batched), or are of libraries of linear algebra. All
 * others are unknown. */
#include "base/vec.h"
#include "encode/manual.h"

#include <string.h>

static const char *const identities[] = {
    "Sharding",
    "xla.sdy.Sharding",
    "xla.sdy.FuncResultSharding",
    "annotate_device_placement",
};

static bool is_topk(const sp_node *node) {
  return strcmp(spi_attr_text(node, "custom_call_target"), "TopK") == 0;
}

/* Values and positions of the largest of the last dimension. */
static void topk_shape(sp_ctx *ctx, const sp_program *program,
                       const sp_node *node) {
  const sp_shape *a = spi_in(program, node, 0);
  int64_t dims[SP_MAX_DIMS] = {0};
  spi_expect_results(ctx, node, 2);
  uint32_t n = spi_out(program, node, 0)->n_dims;
  if (!sp_node_attr(node, "called")) {
    spi_unknown(ctx, node, "TopK without a comparator");
  }
  if (a->n_dims == 0 || n != a->n_dims) {
    spi_bad(ctx, node, "TopK of %u dimensions gives %u", a->n_dims, n);
  }
  memcpy(dims, a->dims, n * sizeof *dims);
  dims[n - 1] = spi_out(program, node, 0)->dims[n - 1];
  if (dims[n - 1] > a->dims[n - 1]) {
    spi_bad(ctx, node, "TopK of more elements than there are");
  }
  spi_expect(ctx, program, node, 0, n, dims);
  spi_expect(ctx, program, node, 1, n, dims);
  spi_expect_dtype(ctx, program, node, 0, 0);
  if (!sp_dtype_is_int(spi_out(program, node, 1)->dtype)) {
    spi_bad(ctx, node, "result 1 holds no integers");
  }
}

static sp_expr topk_element(const sp_call *call, const sp_expr *idx) {
  const sp_program *region = spi_attr_region(call->node, "called");
  const char *config = spi_attr_text(call->node, "backend_config");
  bool largest = false;
  if (!spi_region_orders(call->pool, region, &largest) || !largest) {
    spi_unknown(sp_pool_ctx(call->pool), call->node,
                "TopK with another comparator than greater-than");
  }
  return spi_topk(call, (int64_t)sp_call_shape(call, 0)->n_dims - 1, true,
                  config && strstr(config, "is_stable = true"),
                  call->result == 1, idx);
}

/* ---- batched calls ---- */

/* These libraries compute: what they return is a function of the operands. */
static bool is_algebra(const sp_node *node) {
  static const char *const libraries[] = {"lapack_", "blas_",      "cusolver_",
                                          "cublas_", "hipsolver_", "hipblas_"};
  const char *target = spi_attr_text(node, "custom_call_target");
  bool is = false;
  for (size_t i = 0; target && i < sizeof libraries / sizeof *libraries; i++) {
    is = is || strncmp(target, libraries[i], strlen(libraries[i])) == 0;
  }
  return is;
}

/* jax.ffi marks a call (LAPACK is called so) with num_batch_dims, which XLA's
 * partitioner relies on: each element of the first dimensions is a call of its
 * own. So results are functions of what the operands hold there. Which
 * function, the target, its configuration, the types without batch and the
 * layouts say: the call sees memory, not elements. Older jax does not mark
 * them: a call of LAPACK is a function of all of its operands then. -1: no
 * such call. */
static int64_t batch_dims(const sp_node *node) {
  static const char key[] = "num_batch_dims=\"";
  const char *text = spi_attr_text(node, "frontend_attributes");
  const char *s = text ? strstr(text, key) : NULL;
  const char *layouts = spi_attr_text(node, "result_layouts");
  bool starts = s && (s == text || strchr("{, ", s[-1]) != NULL);
  if ((!starts && !is_algebra(node)) || sp_node_attr(node, "called") ||
      !layouts || strchr(layouts, '?') ||
      spi_attr_int(node, "custom_call_has_side_effect", 0) ||
      !spi_attr_text(node, "operand_layout_constraints")) {
    return -1;
  }
  if (!starts) {
    return 0;
  }
  s += sizeof key - 1;
  return s[0] >= '0' && s[0] <= '9' && s[1] == '"' ? s[0] - '0' : -1;
}

static void batched_shape(sp_ctx *ctx, const sp_program *program,
                          const sp_node *node) {
  uint32_t batch = (uint32_t)batch_dims(node);
  const sp_shape *r = spi_out(program, node, 0);
  for (uint32_t k = 0; k < node->n_in + node->n_out; k++) {
    const sp_shape *a = k < node->n_in ? spi_in(program, node, k)
                                       : spi_out(program, node, k - node->n_in);
    if (a->n_dims < batch || r->n_dims < batch ||
        memcmp(a->dims, r->dims, batch * sizeof *a->dims) != 0) {
      spi_bad(ctx, node,
              "not all operands and results have the %u batch dimensions",
              batch);
    }
  }
}

/* "f32[4,3]" of "f32[8,4,3]" with one batch dimension. */
static void type_add(sp_ctx *ctx, sp_str *out, const sp_shape *a,
                     uint32_t batch) {
  sp_shape rest = *a;
  rest.n_dims = a->n_dims - batch;
  rest.dims = a->dims + batch;
  sp_str_addf(ctx, out, ":%s", sp_shape_text(ctx, &rest));
}

/* The layouts of text "{f32[8,4]{1,0}, ...}" without the types. */
static void constraints_add(sp_ctx *ctx, sp_str *out, const char *text) {
  for (bool inside = false; *text; text++) {
    inside = *text == '[' || (inside && *text != ']');
    if (!inside) {
      sp_str_addf(ctx, out, "%c", *text);
    }
  }
}

static const char *batched_name(const sp_call *call, uint32_t batch) {
  sp_ctx *ctx = sp_pool_ctx(call->pool);
  const sp_node *node = call->node;
  const char *config = spi_attr_text(node, "backend_config");
  const char *version = spi_attr_text(node, "api_version");
  sp_str s = {0};
  sp_str_addf(ctx, &s, "custom-call:%s:%u",
              spi_attr_text(node, "custom_call_target"), call->result);
  for (uint32_t k = 0; k < node->n_in; k++) {
    type_add(ctx, &s, spi_in(call->program, node, k), batch);
  }
  for (uint32_t k = 0; k < node->n_out; k++) {
    type_add(ctx, &s, spi_out(call->program, node, k), batch);
  }
  constraints_add(ctx, &s, spi_attr_text(node, "operand_layout_constraints"));
  sp_str_addf(ctx, &s, "%s:%s:%s", spi_attr_text(node, "result_layouts"),
              version ? version : "", config ? config : "");
  return s.v;
}

static sp_expr batched_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = sp_pool_ctx(p);
  const sp_node *node = call->node;
  uint32_t batch = (uint32_t)batch_dims(node);
  uint32_t last = sp_call_result_shape(call)->n_dims;
  sp_expr *args = sp_alloc_n(ctx, node->n_in + last + 1u, sizeof *args);
  sp_expr j[SP_MAX_DIMS] = {{0}};
  memcpy(j, idx, batch * sizeof *j);
  for (uint32_t k = 0; k < node->n_in; k++) {
    const sp_shape *a = sp_call_shape(call, k);
    for (uint32_t d = batch; d < a->n_dims; d++) {
      j[d] = sp_fresh(p, a->dims[d]);
    }
    args[k] = sp_call_read(call, k, j);
    if (a->n_dims > batch) {
      args[k] = spi_lambda(p, a->n_dims - batch, &j[batch], args[k]);
    }
  }
  memcpy(&args[node->n_in], &idx[batch], (last - batch) * sizeof *args);
  spi_assume(call, sp_format(ctx,
                             "custom call \"%s\" is a function of its "
                             "operands",
                             spi_attr_text(node, "custom_call_target")));
  return sp_fn(p, sp_dtype_sort(spi_out_dtype(call)), batched_name(call, batch),
               node->n_in + last - batch, args);
}

static void custom_call_shape(sp_ctx *ctx, const sp_program *program,
                              const sp_node *node) {
  const char *target = spi_attr_text(node, "custom_call_target");
  if (is_topk(node) && node->n_in == 1) {
    topk_shape(ctx, program, node);
    return;
  }
  if (spi_border_of(node) != SPI_BORDER_NONE && node->n_in > 0) {
    spi_manual_shape(ctx, program, node);
    return;
  }
  if (batch_dims(node) >= 0) {
    batched_shape(ctx, program, node);
    return;
  }
  if (sp_node_attr(node, "called")) {
    spi_unknown(ctx, node, "custom call target \"%s\"", target);
  }
  for (size_t i = 0; i < sizeof identities / sizeof identities[0]; i++) {
    if (strcmp(identities[i], target) == 0 && node->n_in == 1) {
      spi_shape_identity(ctx, program, node);
      return;
    }
  }
  spi_unknown(ctx, node, "custom call target \"%s\"", target);
}

static sp_expr custom_call_element(const sp_call *call, const sp_expr *idx) {
  if (is_topk(call->node)) {
    return topk_element(call, idx);
  }
  if (spi_border_of(call->node) != SPI_BORDER_NONE) {
    return spi_manual_element(call, idx);
  }
  return batch_dims(call->node) >= 0 ? batched_element(call, idx)
                                     : sp_call_read(call, call->result, idx);
}

static const sp_op_attr custom_call_attrs[] = {
    {"custom_call_target", SP_ATTR_TEXT, true, false},
    {"called", SP_ATTR_REGION, false, false},
    /* of the targets above, these say nothing about values */
    {"backend_config", SP_ATTR_TEXT, false, true},
    {"custom_call_has_side_effect", SP_ATTR_INT, false, true},
    {"api_version", SP_ATTR_TEXT, false, true},
    {"operand_layout_constraints", SP_ATTR_TEXT, false, true},
    {"result_layouts", SP_ATTR_TEXT, false, true},
    {"frontend_attributes", SP_ATTR_TEXT, false, true},
    {0},
};
static const char *const custom_call_spellings[] = {"hlo:custom-call", NULL};
static const sp_op custom_call_row = {
    .name = "custom-call",
    .spellings = custom_call_spellings,
    .attrs = custom_call_attrs,
    .min_operands = 0,
    .max_operands = UINT32_MAX,
    .shape = custom_call_shape,
    .element = custom_call_element,
    .meaning = "out[i] = a[i] for annotations of shardings; TopK: see topk; "
               "SPMDFullToShardShape, SPMDShardToFullShape: a block of the "
               "whole, and back; with num_batch_dims: a function of what the "
               "operands hold at the same batch index; LAPACK and its like: "
               "of the operands",
};

extern const sp_op *const sp_ops_custom_call[];
const sp_op *const sp_ops_custom_call[] = {
    &custom_call_row,
    NULL,
};
