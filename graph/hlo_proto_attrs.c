/* hlo_proto_attrs.c: the attributes of one HLO instruction, from its proto.
 *
 * Read the table `rows` first: each field of HloInstructionProto that this
 * reader knows, with what is done about it. A field that is set and has no
 * row, or stands on an opcode that its row does not name, becomes an attribute
 * "proto field N", which no row of the operator table lists, so the operator
 * is refused. Zero, false and "" are not set: XLA's proto3 does not write
 * them. Names and kinds of the attributes: graph/hlo_module.h.
 */
#include "graph/hlo_proto.h"

#include <string.h>

static sp_attr *attr_add(hlo_proto_reader *r, const char *name,
                         sp_attr_kind kind) {
  sp_attr a = {.name = sp_intern(r->ctx, name, strlen(name)), .kind = kind};
  sp_push(r->ctx, &r->attrs, a);
  return &r->attrs.v[r->attrs.n - 1];
}

static void int_add(hlo_proto_reader *r, const char *name, int64_t v) {
  attr_add(r, name, SP_ATTR_INT)->u.i = v;
}

static void text_add(hlo_proto_reader *r, const char *name, const char *v) {
  attr_add(r, name, SP_ATTR_TEXT)->u.text = sp_strdup(r->ctx, v);
}

static void ints_add(hlo_proto_reader *r, const char *name, const int64_t *v,
                     size_t n) {
  int64_t *copy = sp_alloc_n(r->ctx, n, sizeof *copy);
  if (n) {
    memcpy(copy, v, n * sizeof *copy);
  }
  sp_attr *a = attr_add(r, name, SP_ATTR_INTS);
  a->u.ints = copy;
  a->n = n;
}

/* ---- the fields, in the order of the table ---- */

static void parameter_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  int_add(r, "index", in->parameter_number);
}

static void element_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  int_add(r, "index", in->tuple_index);
}

static void iota_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  if (in->n_dimensions != 1) {
    hlo_proto_bad(r, "the file is damaged; dump it again",
                  "the iota %s runs along %zu dimensions instead of one",
                  r->what, in->n_dimensions);
  }
  int_add(r, "iota_dimension", in->dimensions[0]);
}

static void dimensions_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  ints_add(r, "dimensions", in->dimensions, in->n_dimensions);
}

static void window_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  size_t n = in->window->n_dimensions;
  if (!n) {
    return;
  }
  sp_window_dim *v = sp_alloc_n(r->ctx, n, sizeof *v);
  for (size_t i = 0; i < n; i++) {
    const Hlo__WindowDimension *d = in->window->dimensions[i];
    if (d->size < 1 || d->stride < 1 || d->window_dilation < 1 ||
        d->base_dilation < 1) {
      hlo_proto_bad(r, "the file is damaged; dump it again",
                    "the window of %s has a size, stride or dilation below 1 "
                    "in dimension %zu",
                    r->what, i);
    }
    v[i] = (sp_window_dim){
        .size = d->size,
        .stride = d->stride,
        .pad_low = d->padding_low,
        .pad_high = d->padding_high,
        .window_dilation = d->window_dilation,
        .base_dilation = d->base_dilation,
        .reversal = d->window_reversal,
    };
  }
  sp_attr *a = attr_add(r, "window", SP_ATTR_WINDOW);
  a->u.window = v;
  a->n = n;
}

static void convolution_part(hlo_proto_reader *r, const char *name,
                             int64_t first, int64_t second,
                             const int64_t *spatial, size_t n) {
  int64_t *v = sp_alloc_n(r->ctx, n + 2, sizeof *v);
  v[0] = first;
  v[1] = second;
  if (n) {
    memcpy(v + 2, spatial, n * sizeof *v);
  }
  sp_attr *a = attr_add(r, name, SP_ATTR_INTS);
  a->u.ints = v;
  a->n = n + 2;
}

static void convolution_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  const Hlo__ConvolutionNumbers *c = in->convolution_dimension_numbers;
  convolution_part(r, "conv_input", c->input_batch_dimension,
                   c->input_feature_dimension, c->input_spatial_dimensions,
                   c->n_input_spatial_dimensions);
  convolution_part(r, "conv_kernel", c->kernel_input_feature_dimension,
                   c->kernel_output_feature_dimension,
                   c->kernel_spatial_dimensions,
                   c->n_kernel_spatial_dimensions);
  convolution_part(r, "conv_output", c->output_batch_dimension,
                   c->output_feature_dimension, c->output_spatial_dimensions,
                   c->n_output_spatial_dimensions);
}

static void slice_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  size_t n = in->n_slice_dimensions;
  int64_t *v = sp_alloc_n(r->ctx, n, 3 * sizeof *v);
  for (size_t i = 0; i < n; i++) {
    v[i] = in->slice_dimensions[i]->start;
    v[n + i] = in->slice_dimensions[i]->limit;
    v[2 * n + i] = in->slice_dimensions[i]->stride;
  }
  ints_add(r, "slice_starts", v, n);
  ints_add(r, "slice_limits", v + n, n);
  ints_add(r, "slice_strides", v + 2 * n, n);
}

static void exponent_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  int_add(r, "exponent_bits", in->exponent_bits);
}

static void mantissa_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  int_add(r, "mantissa_bits", in->mantissa_bits);
}

static void slice_sizes_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  ints_add(r, "dynamic_slice_sizes", in->dynamic_slice_sizes,
           in->n_dynamic_slice_sizes);
}

static void padding_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  size_t n = in->padding_config->n_dimensions;
  int64_t *v = sp_alloc_n(r->ctx, n, 3 * sizeof *v);
  for (size_t i = 0; i < n; i++) {
    const Hlo__PaddingDimension *d = in->padding_config->dimensions[i];
    v[3 * i] = d->edge_padding_low;
    v[3 * i + 1] = d->edge_padding_high;
    v[3 * i + 2] = d->interior_padding;
  }
  sp_attr *a = attr_add(r, "padding", SP_ATTR_INTS);
  a->u.ints = v;
  a->n = 3 * n;
}

static void distribution_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  text_add(r, "distribution",
           in->distribution == 1 ? "rng_uniform"
           : in->distribution == 2
               ? "rng_normal"
               : sp_format(r->ctx, "rng_%d", (int)in->distribution));
}

static void batch_norm_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  attr_add(r, "epsilon", SP_ATTR_FLOAT)->u.f = (double)in->epsilon;
  int_add(r, "feature_index", in->feature_index);
}

/* all_reduce_id is the old name of channel_id; ids below 1 mean none. */
static void channel_add(hlo_proto_reader *r, const Hlo__Instruction *in) {
  int64_t id = in->channel_id > 0 ? in->channel_id : in->all_reduce_id;
  if (id > 0) {
    int_add(r, "channel_id", id);
  }
}

static void target_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  text_add(r, "custom_call_target",
           in->custom_call_target ? in->custom_call_target : "");
}

static void dot_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  const Hlo__DotNumbers *d = in->dot_dimension_numbers;
  ints_add(r, "lhs_contracting_dims", d->lhs_contracting_dimensions,
           d->n_lhs_contracting_dimensions);
  ints_add(r, "rhs_contracting_dims", d->rhs_contracting_dimensions,
           d->n_rhs_contracting_dimensions);
  ints_add(r, "lhs_batch_dims", d->lhs_batch_dimensions,
           d->n_lhs_batch_dimensions);
  ints_add(r, "rhs_batch_dims", d->rhs_batch_dimensions,
           d->n_rhs_batch_dimensions);
}

static void gather_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  const Hlo__GatherNumbers *g = in->gather_dimension_numbers;
  ints_add(r, "offset_dims", g->offset_dims, g->n_offset_dims);
  ints_add(r, "collapsed_slice_dims", g->collapsed_slice_dims,
           g->n_collapsed_slice_dims);
  ints_add(r, "start_index_map", g->start_index_map, g->n_start_index_map);
  ints_add(r, "operand_batching_dims", g->operand_batching_dims,
           g->n_operand_batching_dims);
  ints_add(r, "start_indices_batching_dims", g->start_indices_batching_dims,
           g->n_start_indices_batching_dims);
  int_add(r, "index_vector_dim", g->index_vector_dim);
}

static void gather_sizes_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  ints_add(r, "slice_sizes", in->gather_slice_sizes, in->n_gather_slice_sizes);
}

/* JSON, or bytes of a backend's own. */
static void backend_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  const ProtobufCBinaryData *b = &in->backend_config;
  sp_str s = {0};
  if (!memchr(b->data, 0, b->len)) {
    sp_str_addn(r->ctx, &s, (const char *)b->data, b->len);
  } else {
    sp_str_add(r->ctx, &s, "hex ");
    for (size_t i = 0; i < b->len; i++) {
      sp_str_addf(r->ctx, &s, "%02x", b->data[i]);
    }
  }
  attr_add(r, "backend_config", SP_ATTR_TEXT)->u.text = s.v;
}

static void scatter_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  const Hlo__ScatterNumbers *s = in->scatter_dimension_numbers;
  ints_add(r, "update_window_dims", s->update_window_dims,
           s->n_update_window_dims);
  ints_add(r, "inserted_window_dims", s->inserted_window_dims,
           s->n_inserted_window_dims);
  ints_add(r, "scatter_dims_to_operand_dims", s->scatter_dims_to_operand_dims,
           s->n_scatter_dims_to_operand_dims);
  ints_add(r, "input_batching_dims", s->input_batching_dims,
           s->n_input_batching_dims);
  ints_add(r, "scatter_indices_batching_dims", s->scatter_indices_batching_dims,
           s->n_scatter_indices_batching_dims);
  int_add(r, "index_vector_dim", s->index_vector_dim);
}

static void groups_add(hlo_proto_reader *r, const Hlo__Instruction *in) {
  const sp_groups *g = hlo_proto_groups(r, in);
  if (g) {
    attr_add(r, "replica_groups", SP_ATTR_GROUPS)->u.groups = g;
  }
}

static void feature_groups_read(hlo_proto_reader *r,
                                const Hlo__Instruction *in) {
  if (in->feature_group_count != 1) {
    int_add(r, "feature_group_count", in->feature_group_count);
  }
}

static void batch_groups_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  if (in->batch_group_count != 1) {
    int_add(r, "batch_group_count", in->batch_group_count);
  }
}

/* As the text prints them: only where one is not the default. */
static void precision_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  static const char *const names[] = {"default", "high", "highest"};
  static const char *const algorithms[] = {
      "unset",
      "dot_any_f8_any_f8_f32",
      "dot_any_f8_any_f8_f32_fast_accum",
      "dot_f16_f16_f16",
      "dot_f16_f16_f32",
      "dot_bf16_bf16_bf16",
      "dot_bf16_bf16_f32",
      "dot_bf16_bf16_f32_x3",
      "dot_bf16_bf16_f32_x6",
      "dot_tf32_tf32_f32",
      "dot_tf32_tf32_f32_x3",
      "dot_f32_f32_f32",
      "dot_f64_f64_f64",
      "dot_bf16_bf16_f32_x9",
  };
  const Hlo__PrecisionConfig *p = in->precision_config;
  sp_str s = {0};
  bool special = false;
  for (size_t i = 0; i < p->n_operand_precision; i++) {
    int32_t v = p->operand_precision[i];
    special = special || v != 0;
    sp_str_addf(r->ctx, &s, "%s%s", i ? "," : "",
                v >= 0 && v < 3 ? names[v] : "unknown");
  }
  if (special) {
    attr_add(r, "operand_precision", SP_ATTR_TEXT)->u.text = s.v;
  }
  if (p->algorithm) {
    int32_t a = p->algorithm;
    int32_t n = (int32_t)(sizeof algorithms / sizeof algorithms[0]);
    text_add(r, "algorithm", a > 0 && a < n ? algorithms[a] : "unknown");
  }
}

static void pairs_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  size_t n = in->n_source_target_pairs;
  int64_t *v = sp_alloc_n(r->ctx, n, 2 * sizeof *v);
  for (size_t i = 0; i < n; i++) {
    v[2 * i] = in->source_target_pairs[i]->source;
    v[2 * i + 1] = in->source_target_pairs[i]->target;
  }
  sp_attr *a = attr_add(r, "source_target_pairs", SP_ATTR_INTS);
  a->u.ints = v;
  a->n = 2 * n;
}

/* A custom call that is marked as batched (encode/ops/custom_call.c). */
static const char *batch_dims_of(const Hlo__Instruction *in) {
  const Hlo__FrontendAttributes *a = in->frontend_attributes;
  bool call = in->opcode && strcmp(in->opcode, "custom-call") == 0;
  for (size_t i = 0; call && a && i < a->n_map; i++) {
    if (a->map[i]->key && strcmp(a->map[i]->key, "num_batch_dims") == 0) {
      return a->map[i]->value ? a->map[i]->value : "";
    }
  }
  return NULL;
}

static void constrain_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  int_add(r, "constrain_layout", in->constrain_layout != 0);
}

/* As in texts: "{f32[4,3]{1,0}, f32[3]{0}}". */
static void operand_layouts_read(hlo_proto_reader *r,
                                 const Hlo__Instruction *in) {
  sp_str s = {0};
  for (size_t i = 0; i < in->n_operand_shapes_with_layout; i++) {
    hlo_type t = hlo_proto_type(r, in->operand_shapes_with_layout[i]);
    if (t.tuple || (t.shape.n_dims && !t.minor_to_major)) {
      return; /* not known: then the call is not understood */
    }
    sp_str_addf(r->ctx, &s, "%s%s", i ? ", " : "{",
                sp_shape_text(r->ctx, &t.shape));
    for (uint32_t d = 0; d < t.shape.n_dims; d++) {
      sp_str_addf(r->ctx, &s, "%s%lld", d ? "," : "{",
                  (long long)t.minor_to_major[d]);
    }
    sp_str_add(r->ctx, &s, t.shape.n_dims ? "}" : "");
  }
  sp_str_add(r->ctx, &s, "}");
  text_add(r, "operand_layout_constraints", s.v);
}

/* Notes for compiler passes but for one. A value that is no digit is no number
 * of dimensions. */
static void frontend_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  const char *n = batch_dims_of(in);
  if (n) {
    bool digit = n[0] >= '0' && n[0] <= '9' && !n[1];
    text_add(r, "frontend_attributes",
             digit ? sp_format(r->ctx, "{num_batch_dims=\"%s\"}", n)
                   : "{num_batch_dims=}");
  }
}

static void fft_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  static const char *const names[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  int32_t v = in->fft_type;
  text_add(r, "fft_type", v >= 0 && v < 4 ? names[v] : "unknown");
  sp_str s = {0};
  for (size_t i = 0; i < in->n_fft_length; i++) {
    sp_str_addf(r->ctx, &s, "%s%lld", i ? "," : "{",
                (long long)in->fft_length[i]);
  }
  sp_str_add(r->ctx, &s, "}");
  text_add(r, "fft_length", s.v);
}

static void stable_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  int_add(r, "is_stable", in->is_stable != 0);
}

static void direction_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  text_add(r, "direction", in->comparison_direction);
}

static void side_effect_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  int_add(r, "custom_call_has_side_effect",
          in->custom_call_has_side_effect != 0);
}

static void sorted_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  int_add(r, "indices_are_sorted", in->indices_are_sorted != 0);
}

static void unique_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  int_add(r, "unique_indices", in->unique_indices != 0);
}

static void rng_algorithm_read(hlo_proto_reader *r,
                               const Hlo__Instruction *in) {
  static const char *const names[] = {"rng_default", "rng_three_fry",
                                      "rng_philox"};
  int32_t v = in->rng_algorithm;
  text_add(r, "algorithm", v >= 0 && v < 3 ? names[v] : "unknown");
}

static void global_ids_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  int_add(r, "use_global_device_ids", in->use_global_device_ids != 0);
}

/* topk: the text always prints both. */
static void topk_read(hlo_proto_reader *r, const Hlo__Instruction *in) {
  int_add(r, "k", in->k);
  int_add(r, "largest", in->largest != 0);
}

/* ---- the table ---- */

typedef void (*field_reader)(hlo_proto_reader *r, const Hlo__Instruction *in);

typedef enum when {
  SET,    /* read when the field is set */
  ALWAYS, /* on these opcodes set or not: zero means zero there */
} when;

typedef struct field_row {
  uint32_t field;
  const char *opcodes; /* separated by single spaces; NULL: all */
  when when;
  field_reader read; /* NULL: harmless, or read elsewhere */
} field_row;

/* clang-format off */
static const field_row rows[] = {
  {1, NULL, SET, NULL},   /* name */
  {2, NULL, SET, NULL},   /* opcode */
  {3, NULL, SET, NULL},   /* shape */
  {7, NULL, SET, NULL},   /* metadata: where it comes from */
  {8, "constant", SET, NULL}, /* literal: hlo_proto_attrs */
  {9, "parameter", ALWAYS, parameter_read},
  {11, "fusion", SET, NULL}, /* fusion_kind: how it is emitted */
  {13, "get-tuple-element", ALWAYS, element_read},
  {14, "iota", ALWAYS, iota_read},
  {14, NULL, SET, dimensions_read},
  {15, NULL, SET, window_read},
  {16, NULL, SET, convolution_read},
  {17, "slice", ALWAYS, slice_read},
  {18, "reduce-precision", ALWAYS, exponent_read},
  {19, "reduce-precision", ALWAYS, mantissa_read},
  {20, "dynamic-slice", ALWAYS, slice_sizes_read},
  {21, NULL, SET, padding_read},
  {23, NULL, SET, distribution_read},
  {24, "batch-norm-training batch-norm-inference batch-norm-grad", ALWAYS,
   batch_norm_read},
  {25, "batch-norm-training batch-norm-inference batch-norm-grad", SET, NULL},
  {26, NULL, SET, NULL},  /* channel_id: channel_add */
  {28, "custom-call", ALWAYS, target_read},
  {30, NULL, SET, dot_read},
  {31, "fft", SET, NULL},  /* with fft_length */
  {32, "fft", ALWAYS, fft_read},
  {33, "gather", SET, gather_read},
  {34, "gather", ALWAYS, gather_sizes_read},
  {35, NULL, SET, NULL},  /* id */
  {36, NULL, SET, NULL},  /* operand_ids */
  {37, NULL, SET, NULL},  /* control_predecessor_ids: order of execution */
  {38, NULL, SET, NULL},  /* called_computation_ids */
  {40, NULL, SET, NULL},  /* sharding */
  {43, "custom-call", SET, backend_read},
  {43, NULL, SET, NULL},  /* elsewhere it steers the code generator */
  {45, NULL, SET, NULL},  /* all_reduce_id: channel_add */
  {48, "scatter", SET, scatter_read},
  {49, NULL, SET, NULL},  /* replica_groups: groups_add */
  {50, NULL, SET, feature_groups_read},
  {51, NULL, SET, precision_read},
  {52, "collective-permute collective-permute-start", ALWAYS, pairs_read},
  {56, "custom-call", SET, NULL},  /* the layouts say it */
  {56, NULL, SET, constrain_read},
  {57, "custom-call", SET, operand_layouts_read},
  {57, NULL, SET, NULL},  /* operand_shapes_with_layout */
  {58, NULL, SET, batch_groups_read},
  {60, NULL, SET, stable_read},
  {61, NULL, SET, NULL},  /* parameter_replication: a promise, not needed */
  {63, NULL, SET, direction_read},
  {65, NULL, SET, side_effect_read},
  {67, NULL, SET, sorted_read},
  {68, "custom-call", SET, frontend_read},
  {68, NULL, SET, NULL},  /* frontend_attributes: notes for compiler passes */
  {69, NULL, SET, unique_read},
  {70, "rng-bit-generator", ALWAYS, rng_algorithm_read},
  {71, NULL, SET, global_ids_read},
  {72, "compare", SET, NULL}, /* comparison_type: compare_type_add */
  {74, NULL, SET, NULL},  /* output_operand_aliasing: where buffers live */
  {76, NULL, SET, NULL},  /* custom_call_schedule */
  {77, NULL, SET, NULL},  /* custom_call_api_version: how it is called */
  {79, NULL, SET, NULL},  /* async_execution_thread */
  {81, "topk", ALWAYS, topk_read},
  {82, NULL, SET, NULL},  /* statistics_viz: for pictures */
  {85, "topk", SET, NULL}, /* largest: with k */
  {87, NULL, SET, NULL},  /* groups_add */
  {88, NULL, SET, NULL},  /* original_value: for debuggers */
  {89, "call", SET, NULL}, /* is_composite: the callee is its meaning */
  {91, NULL, SET, NULL},  /* result_accuracy: how exact a function must be */
  {92, NULL, SET, NULL},  /* groups_add */
  {93, NULL, SET, NULL},  /* groups_add */
  {102, "compare", SET, NULL}, /* comparison_order: compare_type_add */
};
/* clang-format on */

/* Messages that 0.12 writes on every dot and convolution, always empty. */
static const uint32_t harmless_when_empty[] = {98, 101};

static bool opcode_in(const char *opcodes, const char *opcode) {
  size_t n = strlen(opcode);
  for (const char *p = opcodes; n && p && *p;) {
    size_t word = strcspn(p, " ");
    if (word == n && memcmp(p, opcode, n) == 0) {
      return true;
    }
    p += word + (p[word] == ' ');
  }
  return !opcodes;
}

static const field_row *row_find(uint32_t field, const char *opcode) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (rows[i].field == field && opcode_in(rows[i].opcodes, opcode)) {
      return &rows[i];
    }
  }
  return NULL;
}

static void refused_add(hlo_proto_reader *r, uint32_t field, const char *text) {
  text_add(r, sp_format(r->ctx, "proto field %u", field), text);
}

/* An attribute for each field that hlo.proto does not list, with its bytes:
 * what we cannot read we keep. */
static void unknown_fields_add(hlo_proto_reader *r, const Hlo__Instruction *in,
                               const char *opcode) {
  for (unsigned i = 0; i < in->base.n_unknown_fields; i++) {
    const ProtobufCMessageUnknownField *u = &in->base.unknown_fields[i];
    const field_row *row = row_find(u->tag, opcode);
    bool empty = u->wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED &&
                 u->len == 1 && u->data[0] == 0;
    bool harmless = row && !row->read;
    for (size_t k = 0;
         k < sizeof harmless_when_empty / sizeof harmless_when_empty[0]; k++) {
      harmless = harmless || (empty && u->tag == harmless_when_empty[k]);
    }
    if (harmless) {
      continue;
    }
    sp_str s = {0};
    sp_str_add(r->ctx, &s, "hex");
    for (size_t k = 0; k < u->len && k < 4096; k++) {
      sp_str_addf(r->ctx, &s, " %02x", u->data[k]);
    }
    refused_add(r, u->tag, s.v);
  }
}

/* A message in the instruction with a field that we do not know makes the
 * whole message not understood. Shardings look after themselves, metadata
 * says nothing of the value, nor do notes for the compiler. */
static void nested_unknown_add(hlo_proto_reader *r, const Hlo__Instruction *in,
                               const ProtobufCFieldDescriptor *f) {
  if (f->type != PROTOBUF_C_TYPE_MESSAGE || f->id == 7 || f->id == 40 ||
      f->id == 68) {
    return;
  }
  uint32_t u = hlo_proto_unknown_in(&in->base, f);
  if (u) {
    text_add(r, sp_format(r->ctx, "proto field %u.%u", f->id, u), f->name);
  }
}

/* Compares of floats in total order (-0 < +0, NaN placed) are another
 * relation than the usual one. 0.4.35 writes comparison_type=TOTALORDER,
 * 0.12 comparison_order=TOTAL; on integers every order is total. */
static void compare_type_add(hlo_proto_reader *r, const Hlo__Instruction *in,
                             const hlo_type *operand) {
  const char *type = in->comparison_type ? in->comparison_type : "";
  const char *order = in->comparison_order ? in->comparison_order : "";
  sp_dtype t =
      operand && !operand->tuple ? operand->shape.dtype : SP_DTYPE_INVALID;
  bool whole = t == SP_PRED || sp_dtype_is_int(t);
  const char *usual = !whole                                    ? "FLOAT"
                      : t == SP_PRED || sp_dtype_is_unsigned(t) ? "UNSIGNED"
                                                                : "SIGNED";
  bool total = strcmp(type, "TOTALORDER") == 0 ||
               strcmp(type, "FLOATTOTALORDER") == 0 ||
               (!whole && strcmp(order, "TOTAL") == 0);
  if (total) {
    text_add(r, "compare_type", "TOTALORDER");
  } else if (*type && strcmp(type, usual) != 0) {
    text_add(r, "compare_type", type);
  } else if (*order && strcmp(order, whole ? "TOTAL" : "PARTIAL") != 0) {
    text_add(r, "compare_type", order);
  }
}

static void constant_add(hlo_proto_reader *r, const Hlo__Instruction *in,
                         const hlo_type *type) {
  if (type->tuple) {
    hlo_proto_bad(r, "XLA writes tuples of array constants",
                  "the constant %s is a tuple, which is not supported",
                  r->what);
  }
  if (!in->literal) {
    hlo_proto_bad(r, "the file is damaged; dump it again",
                  "the constant %s has no literal", r->what);
  }
  attr_add(r, "literal", SP_ATTR_LITERAL)->u.literal =
      hlo_proto_literal(r, &type->shape, in->literal);
}

/* An attribute twice could only come from fields that XLA never combines. */
static void attrs_distinct(hlo_proto_reader *r) {
  for (size_t i = 0; i < r->attrs.n; i++) {
    for (size_t k = 0; k < i; k++) {
      if (r->attrs.v[i].name == r->attrs.v[k].name) {
        hlo_proto_bad(r, "the file is damaged; dump it again",
                      "%s has the attribute %s twice", r->what,
                      r->attrs.v[i].name);
      }
    }
  }
}

void hlo_proto_attrs(hlo_proto_reader *r, const Hlo__Instruction *in,
                     const hlo_type *type, const hlo_type *operand,
                     hlo_instr *out) {
  const ProtobufCMessageDescriptor *d = in->base.descriptor;
  r->attrs.n = 0;
  for (unsigned i = 0; i < d->n_fields; i++) {
    const ProtobufCFieldDescriptor *f = &d->fields[i];
    const field_row *row = row_find(f->id, out->opcode);
    bool set = hlo_proto_field_set(&in->base, f);
    if (set) {
      nested_unknown_add(r, in, f);
    }
    if (set && !row) {
      refused_add(r, f->id, f->name);
    } else if (row && row->read && (set || row->when == ALWAYS)) {
      row->read(r, in);
    }
  }
  unknown_fields_add(r, in, out->opcode);
  channel_add(r, in);
  groups_add(r, in);
  if (strcmp(out->opcode, "compare") == 0) {
    compare_type_add(r, in, operand);
  }
  if (strcmp(out->opcode, "constant") == 0) {
    constant_add(r, in, type);
  }
  attrs_distinct(r);
  sp_attr *v = sp_alloc_n(r->ctx, r->attrs.n, sizeof *v);
  if (r->attrs.n) {
    memcpy(v, r->attrs.v, r->attrs.n * sizeof *v);
  }
  out->attrs = v;
  out->n_attrs = (uint32_t)r->attrs.n;
}
