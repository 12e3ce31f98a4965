/* hlo_module.h: an HLO module as written, before lowering. Inside graph/ only.
 *
 * Instructions keep operand references by position in their computation,
 * attributes already typed and named as below; tuples, calls, fusions and
 * get-tuple-element are still there. hlo_lower.c makes an sp_program of it.
 *
 * Attribute names and kinds, the same from text and proto. An attribute is
 * present only where it says something (default values are left out), except
 * those marked *, which the lowering always makes present on their opcodes.
 *
 *   dimensions* INTS (broadcast, transpose, reduce, reverse, concatenate,
 *       all-gather, reduce-scatter, all-to-all with one operand, sort, ...)
 *   iota_dimension* INT     index* INT (parameter, get-tuple-element)
 *   slice_starts* slice_limits* slice_strides* INTS (slice)
 *   dynamic_slice_sizes* INTS
 *   padding* INTS (pad: low, high, interior of each dimension in turn)
 *   lhs_contracting_dims* rhs_contracting_dims* lhs_batch_dims*
 *       rhs_batch_dims* INTS (dot)
 *   window WINDOW (convolution, reduce-window, select-and-scatter)
 *   conv_input conv_kernel conv_output INTS* (convolution: batch, feature,
 *       spatial...; kernel: input feature, output feature, spatial...: the
 *       dimension numbers of HLO, text "b01f_01io->b01f")
 *   feature_group_count batch_group_count INT
 *   offset_dims collapsed_slice_dims start_index_map operand_batching_dims
 *       start_indices_batching_dims slice_sizes INTS*, index_vector_dim INT*
 *       (gather)
 *   update_window_dims inserted_window_dims scatter_dims_to_operand_dims
 *       input_batching_dims scatter_indices_batching_dims INTS*,
 *       index_vector_dim INT*, (scatter)
 *   indices_are_sorted unique_indices INT (gather, scatter)
 *   direction* TEXT (compare: EQ NE LT LE GT GE), compare_type TEXT when it
 *       is a total order ("TOTALORDER", from either dialect)
 *   replica_groups* GROUPS (all collectives that have them). The readers
 *       hand over the ids as written (hlo_notation.h), an empty list or an
 *       absent attribute as no attribute; the lowering makes them groups of
 *       device numbers that cover every device once.
 *   source_target_pairs* INTS (source, target, source, target, ...)
 *   channel_id INT, use_global_device_ids INT, constrain_layout INT
 *   split_dimension INT, is_cross_partition? INT
 *   to_apply* REGION (reduce, all-reduce, reduce-scatter, reduce-window,
 *       scatter, sort, map, select-and-scatter's scatter), select REGION
 *   condition body REGION (while); has_collectives INT 1 (while, conditional)
 *       where a body or branch talks to other devices: it then runs on all of
 *       them or none only if the predicate is the same on all
 *   n_branches* INT (conditional: operands are the index, the leaves of
 *       branch 0, of branch 1, ...; for a pred index the lowering puts the
 *       false branch first, so that the index reads as a number)
 *   literal* LITERAL (constant), or elided INT 1 instead where the dump left
 *       the values out ("{...}"): a value that nobody knows
 *   operand_minor_to_major minor_to_major INTS (bitcast: the layouts of the
 *       operand and of the result; both, or none where one is not known)
 *   k* INT, largest* INT 0 or 1 (topk), is_stable INT 1 (topk, sort)
 *   exponent_bits mantissa_bits INT (reduce-precision)
 *   epsilon FLOAT, feature_index INT (batch-norm-*)
 *   custom_call_target* TEXT, backend_config TEXT (custom-call)
 *   fft_type fft_length TEXT ("RFFT", "{8,16}"; fft)
 *   distribution TEXT (rng), algorithm TEXT (rng-bit-generator)
 *   operand_layout_constraints TEXT as written, and then result_layouts TEXT:
 *       of a custom-call; frontend_attributes TEXT where num_batch_dims is in
 *       them (of a proto that alone)
 *   operand_precision TEXT ("highest,default"): read and kept
 *   raw names of anything else with their TEXT value, so that the operator
 *       table can refuse what it does not know.
 *
 * Not kept as attributes: metadata (becomes pos; of a source_file that goes on
 * with a stack trace the first line), sharding (sp_tensor),
 * frontend_attributes and layouts but for the above, statistics,
 * original_value,
 * control predecessors, api_version, output_to_operand_aliasing,
 * parameter_replication, a fusion's kind, backend_config except a
 * custom-call's: they do not change what is computed.
 *
 * partition-id and replica-id: a program knows one device number. With one
 * partition on several replicas the lowering makes replica-id the node
 * hlo:partition-id, and partition-id the constant 0; and the other way round.
 */
#ifndef SP_GRAPH_HLO_MODULE_H
#define SP_GRAPH_HLO_MODULE_H

#include "graph/program.h"

/* A possibly tuple-shaped type: a tree of at most SP_HLO_MAX_TUPLE_DEPTH. */
typedef struct hlo_type {
  bool tuple;
  sp_shape shape;                /* leaf */
  const int64_t *minor_to_major; /* leaf: its layout in memory, n_dims; NULL
                                    where it is not said, or not dense */
  uint32_t n;                    /* tuple: elements */
  const struct hlo_type *elements;
} hlo_type;

#define SP_HLO_MAX_TUPLE_DEPTH 64
#define SP_HLO_MAX_CALL_DEPTH 256

/* Tuple-element path on a reference: "%x#2" is element 2 of x. */
typedef struct hlo_ref {
  uint32_t instr;  /* position in the computation */
  uint32_t n_path; /* 0 = the whole value */
  const uint32_t *path;
} hlo_ref;

typedef struct hlo_instr {
  const char *name;
  const char *opcode;
  hlo_type type;
  uint32_t n_in;
  const hlo_ref *in;
  uint32_t n_attrs;
  const sp_attr *attrs; /* REGION attributes are not here but in calls */
  uint32_t n_calls;     /* called computations, in order, with the */
  const char *const *call_roles; /* attribute they came from: "to_apply", */
  const uint32_t *calls;         /* "calls", "body", "condition", "select",
                                    "scatter", "branch" */
  uint32_t n_shardings;          /* leaves of the sharding annotation, or 0 */
  const sp_sharding *const *shardings; /* one entry may stand for all leaves */
  sp_pos pos;
} hlo_instr;

typedef struct hlo_computation {
  const char *name;
  uint32_t n_instrs;
  const hlo_instr *instrs;
  uint32_t root;
  sp_loc loc;
} hlo_computation;

typedef struct hlo_module {
  const char *name, *file;
  int64_t partitions, replicas; /* 0 where the module does not say */
  uint32_t n_computations;
  const hlo_computation *computations;
  uint32_t entry;
  /* from the proto's module fields; NULL where absent */
  const sp_sharding *const *param_shardings;
  uint32_t n_param_shardings;
  const sp_sharding *const *result_shardings; /* leaves */
  uint32_t n_result_shardings;
} hlo_module;

const hlo_module *sp_hlo_parse_text(sp_ctx *ctx, const char *file,
                                    const char *text, size_t n);
const hlo_module *sp_hlo_parse_proto(sp_ctx *ctx, const char *file,
                                     const uint8_t *bytes, size_t n);
const sp_program *sp_hlo_lower(sp_ctx *ctx, const hlo_module *m);

#endif
