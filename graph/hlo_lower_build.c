/* hlo_lower_build.c: nodes with their unique names and complete attributes. */
#include "graph/hlo_lower_i.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void spi_lower_fail(hlo_lower *lw, const hlo_instr *in, const char *hint,
                    const char *fmt, ...) {
  char text[512];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  sp_raise(lw->ctx, SP_ERR_INPUT, in->pos.dump, hint, "%.200s (%.60s): %s",
           in->name, in->opcode, text);
}

const sp_attr *spi_instr_attr(const hlo_instr *in, const char *name) {
  for (uint32_t i = 0; i < in->n_attrs; i++) {
    if (strcmp(in->attrs[i].name, name) == 0) {
      return &in->attrs[i];
    }
  }
  return NULL;
}

/* --- shardings ----------------------------------------------------------- */

const sp_sharding *spi_leaf_sharding(hlo_lower *lw, const hlo_instr *in,
                                     uint32_t k, uint32_t n,
                                     const sp_shape *shape) {
  if (in->n_shardings == 0) {
    return NULL;
  }
  if (in->n_shardings != 1 && in->n_shardings != n) {
    spi_lower_fail(lw, in, NULL, "%u shardings for a value of %u parts",
                   in->n_shardings, n);
  }
  const sp_sharding *s = in->shardings[in->n_shardings == 1 ? 0 : k];
  if (s && s->kind == SP_SHARDING_TILED && s->n_dims != shape->n_dims) {
    if (in->n_shardings != n) {
      return NULL; /* one annotation for all; it does not fit this part */
    }
    spi_lower_fail(lw, in, NULL, "a sharding of %u dimensions for %s",
                   s->n_dims, sp_shape_text(lw->ctx, shape));
  }
  return s;
}

/* --- attributes ---------------------------------------------------------- */

hlo_attrs spi_attrs_of(hlo_lower *lw, const hlo_instr *in) {
  hlo_attrs a = {.n = in->n_attrs, .cap = in->n_attrs + in->n_calls};
  a.v = sp_alloc_n(lw->ctx, a.cap, sizeof *a.v);
  if (a.n) {
    memcpy(a.v, in->attrs, a.n * sizeof *a.v);
  }
  return a;
}

static void attrs_grow(hlo_lower *lw, hlo_attrs *a) {
  uint32_t cap = a->cap + 2 + a->cap / 2;
  sp_attr *v = sp_alloc_n(lw->ctx, cap, sizeof *v);
  if (a->n) {
    memcpy(v, a->v, a->n * sizeof *v);
  }
  a->v = v;
  a->cap = cap;
}

void spi_attrs_set(hlo_lower *lw, hlo_attrs *a, sp_attr attr) {
  uint32_t i = 0;
  while (i < a->n && strcmp(a->v[i].name, attr.name) != 0) {
    i++;
  }
  if (i == a->cap) {
    attrs_grow(lw, a);
  }
  attr.name = sp_intern(lw->ctx, attr.name, strlen(attr.name));
  a->v[i] = attr;
  a->n += i == a->n;
}

void spi_attrs_int(hlo_lower *lw, hlo_attrs *a, const char *name, int64_t v) {
  spi_attrs_set(lw, a, (sp_attr){.name = name, .kind = SP_ATTR_INT, .u.i = v});
}

/* What hlo_module.h marks with a star. A list that a proto leaves out is
 * empty, a number is 0. MUST: there is no default. At most 7 a row. */
typedef struct promise {
  const char *opcode;
  enum { PROMISE_INTS, PROMISE_INT, PROMISE_MUST } kind;
  const char *names[7];
} promise;

static const promise promises[] = {
    {"broadcast", PROMISE_INTS, {"dimensions"}},
    {"transpose", PROMISE_INTS, {"dimensions"}},
    {"reverse", PROMISE_INTS, {"dimensions"}},
    {"concatenate", PROMISE_MUST, {"dimensions"}},
    {"all-gather", PROMISE_MUST, {"dimensions"}},
    {"reduce-scatter", PROMISE_MUST, {"dimensions", "to_apply"}},
    {"sort", PROMISE_INTS, {"dimensions"}},
    {"sort", PROMISE_MUST, {"to_apply"}},
    {"reduce", PROMISE_INTS, {"dimensions"}},
    {"reduce", PROMISE_MUST, {"to_apply"}},
    {"map", PROMISE_INTS, {"dimensions"}},
    {"map", PROMISE_MUST, {"to_apply"}},
    {"all-reduce", PROMISE_MUST, {"to_apply"}},
    {"reduce-window", PROMISE_MUST, {"to_apply", "window"}},
    {"select-and-scatter", PROMISE_MUST, {"to_apply", "select", "window"}},
    {"iota", PROMISE_INT, {"iota_dimension"}},
    {"slice", PROMISE_INTS, {"slice_starts", "slice_limits", "slice_strides"}},
    {"dynamic-slice", PROMISE_INTS, {"dynamic_slice_sizes"}},
    {"pad", PROMISE_INTS, {"padding"}},
    {"dot",
     PROMISE_INTS,
     {"lhs_contracting_dims", "rhs_contracting_dims", "lhs_batch_dims",
      "rhs_batch_dims"}},
    {"convolution",
     PROMISE_MUST,
     {"window", "conv_input", "conv_kernel", "conv_output"}},
    {"gather",
     PROMISE_INTS,
     {"offset_dims", "collapsed_slice_dims", "start_index_map",
      "operand_batching_dims", "start_indices_batching_dims", "slice_sizes"}},
    {"gather", PROMISE_INT, {"index_vector_dim"}},
    {"scatter",
     PROMISE_INTS,
     {"update_window_dims", "inserted_window_dims",
      "scatter_dims_to_operand_dims", "input_batching_dims",
      "scatter_indices_batching_dims"}},
    {"scatter", PROMISE_INT, {"index_vector_dim"}},
    {"scatter", PROMISE_MUST, {"to_apply"}},
    {"collective-permute", PROMISE_INTS, {"source_target_pairs"}},
    {"compare", PROMISE_MUST, {"direction"}},
    {"topk", PROMISE_INT, {"k", "largest"}},
    {"custom-call", PROMISE_MUST, {"custom_call_target"}},
};

static bool attrs_have(const hlo_attrs *a, const char *name) {
  for (uint32_t i = 0; i < a->n; i++) {
    if (strcmp(a->v[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

static void promise_keep(hlo_lower *lw, const hlo_instr *in, const promise *p,
                         hlo_attrs *a) {
  for (size_t k = 0; k < 7 && p->names[k]; k++) {
    if (attrs_have(a, p->names[k])) {
      continue;
    }
    if (p->kind == PROMISE_MUST) {
      spi_lower_fail(lw, in, "is the dump complete?", "%s is missing",
                     p->names[k]);
    }
    bool list = p->kind == PROMISE_INTS;
    sp_attr attr = {.name = p->names[k],
                    .kind = list ? SP_ATTR_INTS : SP_ATTR_INT};
    spi_attrs_set(lw, a, attr);
  }
}

void spi_attrs_complete(hlo_lower *lw, const hlo_instr *in, const char *opcode,
                        hlo_attrs *a) {
  for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
    if (strcmp(promises[i].opcode, opcode) == 0) {
      promise_keep(lw, in, &promises[i], a);
    }
  }
  if (strcmp(opcode, "constant") == 0 && !attrs_have(a, "literal") &&
      !attrs_have(a, "elided")) {
    spi_lower_fail(lw, in, "is the dump complete?", "literal is missing");
  }
}

/* By name, so that the two dialects and the proto give equal programs. */
static void attrs_sort(const hlo_attrs *a) {
  for (uint32_t i = 1; i < a->n; i++) {
    sp_attr moved = a->v[i];
    uint32_t k = i;
    for (; k > 0 && strcmp(a->v[k - 1].name, moved.name) > 0; k--) {
      a->v[k] = a->v[k - 1];
    }
    a->v[k] = moved;
  }
}

/* --- nodes --------------------------------------------------------------- */

/* Names of one computation are unique, and so are those of its calls; only a
 * proto can have names with a '/' or '#' that clash. */
static const char *name_claim(hlo_lower *lw, hlo_build *b, const char *name,
                              uint32_t tensor) {
  const char *unique = name;
  for (int k = 2; !hlo_names_add(lw->ctx, &b->names, unique, tensor); k++) {
    char *text = sp_format(lw->ctx, "%s~%d", name, k);
    unique = sp_intern(lw->ctx, text, strlen(text));
  }
  return unique;
}

static const char *name_join(hlo_lower *lw, const char *prefix,
                             const char *name) {
  if (!*prefix) {
    return name;
  }
  size_t n = strlen(prefix), m = strlen(name);
  sp_mark mark = sp_scratch_mark(lw->ctx);
  char *text = sp_scratch(lw->ctx, n + m);
  memcpy(text, prefix, n);
  memcpy(text + n, name, m);
  const char *joined = sp_intern(lw->ctx, text, n + m);
  sp_scratch_release(lw->ctx, mark);
  return joined;
}

static const char *op_name(hlo_lower *lw, const char *opcode) {
  char text[128];
  int n = snprintf(text, sizeof text, "hlo:%s", opcode);
  if ((size_t)n >= sizeof text) {
    char *longer = sp_format(lw->ctx, "hlo:%s", opcode);
    return sp_intern(lw->ctx, longer, strlen(longer));
  }
  return sp_intern(lw->ctx, text, (size_t)n);
}

/* A Neuron dump puts a stack trace behind the file's name. */
static sp_pos pos_of(hlo_lower *lw, const hlo_instr *in) {
  sp_pos pos = in->pos;
  const char *nl = pos.source_file ? strchr(pos.source_file, '\n') : NULL;
  if (nl) {
    size_t n = (size_t)(nl - pos.source_file);
    pos.source_file = sp_intern(lw->ctx, pos.source_file, n);
  }
  return pos;
}

uint32_t spi_build_node(hlo_lower *lw, hlo_build *b, const hlo_instr *in,
                        const char *prefix, const char *opcode, uint32_t n_in,
                        const uint32_t *operands, const hlo_attrs *attrs,
                        uint32_t n_out, const sp_shape *const *shapes) {
  static const sp_shape token = {.dtype = SP_TOKEN};
  const sp_shape *only = &token;
  uint32_t n = n_out;
  if (n == 0) { /* a value without parts still has a node with a result */
    n = 1;
    shapes = &only;
  }
  if (b->tensors.n + n >= HLO_NO_TENSOR) {
    spi_lower_fail(lw, in, NULL, "the program has too many tensors");
  }
  uint32_t out = (uint32_t)b->tensors.n;
  const char *name = name_join(lw, prefix, in->name);
  if (n == 1) {
    name = name_claim(lw, b, name, out);
  }
  for (uint32_t k = 0; k < n; k++) {
    sp_tensor t = {.name = name,
                   .shape = *shapes[k],
                   .node = (uint32_t)b->nodes.n,
                   .result = k};
    if (n > 1) {
      char *text = sp_format(lw->ctx, "%s#%u", name, k);
      t.name =
          name_claim(lw, b, sp_intern(lw->ctx, text, strlen(text)), out + k);
    }
    if (n_out) {
      t.sharding = spi_leaf_sharding(lw, in, k, n, shapes[k]);
    }
    sp_push(lw->ctx, &b->tensors, t);
  }
  uint32_t *kept = sp_alloc_n(lw->ctx, n_in, sizeof *kept);
  for (uint32_t i = 0; i < n_in; i++) {
    if (operands[i] == HLO_NO_TENSOR) {
      spi_lower_fail(lw, in, NULL,
                     "it reads the context of an asynchronous start");
    }
    kept[i] = operands[i];
  }
  attrs_sort(attrs);
  sp_node node = {.op = op_name(lw, opcode),
                  .name = name,
                  .n_in = n_in,
                  .in = kept,
                  .out = out,
                  .n_out = n,
                  .n_attrs = attrs->n,
                  .attrs = attrs->v,
                  .pos = pos_of(lw, in)};
  sp_push(lw->ctx, &b->nodes, node);
  b->collectives += spi_is_collective(opcode);
  return out;
}

sp_program *spi_build_finish(hlo_lower *lw, hlo_build *b, const char *name,
                             uint32_t n_results, const uint32_t *results) {
  sp_program *p = sp_alloc(lw->ctx, sizeof *p);
  uint32_t *kept = sp_alloc_n(lw->ctx, n_results, sizeof *kept);
  for (uint32_t i = 0; i < n_results; i++) {
    if (results[i] == HLO_NO_TENSOR) {
      sp_raise(lw->ctx, SP_ERR_INPUT, (sp_loc){.file = lw->m->file}, NULL,
               "%.200s returns the context of an asynchronous start", name);
    }
    kept[i] = results[i];
  }
  p->name = name;
  p->file = lw->m->file;
  p->partitions = lw->replicas * lw->partitions;
  p->n_nodes = (uint32_t)b->nodes.n;
  p->nodes = b->nodes.v;
  p->n_tensors = (uint32_t)b->tensors.n;
  p->tensors = b->tensors.v;
  p->n_params = b->n_params;
  p->params = b->params;
  p->n_results = n_results;
  p->results = kept;
  sp_program_check(lw->ctx, p);
  return p;
}
