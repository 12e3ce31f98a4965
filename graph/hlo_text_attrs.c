/* hlo_text_attrs.c: the attributes after an instruction's operands. The table
 * says how each is read and what it is called in hlo_module.h; a name that is
 * not in it is kept as text, so that the operator table can refuse it. */
#include "graph/hlo_text_i.h"

#include <stdlib.h>
#include <string.h>

typedef enum form {
  FORM_SKIP, /* does not change what is computed */
  FORM_INT,
  FORM_BOOL, /* kept as INT 1 where true */
  FORM_FLAG, /* kept as INT 0 or 1 */
  FORM_INTS,
  FORM_FLOAT,
  FORM_WORD,   /* TEXT, one word */
  FORM_STRING, /* TEXT, quoted or {bare} */
  FORM_PAIRS,  /* {{0,1},{2,3}} as INTS */
  FORM_GROUPS,
  FORM_SHARDING,
  FORM_METADATA,
  FORM_CALL,
  FORM_CALLS, /* {%a, %b} */
  FORM_SLICE,
  FORM_PADDING,
  FORM_WINDOW,
  FORM_CONV_DIMS,
  FORM_PRECISION,
  FORM_ORDER,
} form;

typedef struct row {
  const char *name;
  form form;
  const char *out; /* NULL: the same name */
} row;

/* clang-format off */
static const row rows[] = {
    {"metadata", FORM_METADATA, NULL},
    {"sharding", FORM_SHARDING, NULL},
    {"dimensions", FORM_INTS, NULL},
    {"iota_dimension", FORM_INT, NULL},
    {"index", FORM_INT, NULL},
    {"slice", FORM_SLICE, NULL},
    {"dynamic_slice_sizes", FORM_INTS, NULL},
    {"padding", FORM_PADDING, NULL},
    {"lhs_contracting_dims", FORM_INTS, NULL},
    {"rhs_contracting_dims", FORM_INTS, NULL},
    {"lhs_batch_dims", FORM_INTS, NULL},
    {"rhs_batch_dims", FORM_INTS, NULL},
    {"window", FORM_WINDOW, NULL},
    {"dim_labels", FORM_CONV_DIMS, NULL},
    {"feature_group_count", FORM_INT, NULL},
    {"batch_group_count", FORM_INT, NULL},
    {"offset_dims", FORM_INTS, NULL},
    {"collapsed_slice_dims", FORM_INTS, NULL},
    {"start_index_map", FORM_INTS, NULL},
    {"operand_batching_dims", FORM_INTS, NULL},
    {"start_indices_batching_dims", FORM_INTS, NULL},
    {"slice_sizes", FORM_INTS, NULL},
    {"index_vector_dim", FORM_INT, NULL},
    {"update_window_dims", FORM_INTS, NULL},
    {"inserted_window_dims", FORM_INTS, NULL},
    {"scatter_dims_to_operand_dims", FORM_INTS, NULL},
    {"input_batching_dims", FORM_INTS, NULL},
    {"scatter_indices_batching_dims", FORM_INTS, NULL},
    {"indices_are_sorted", FORM_BOOL, NULL},
    {"unique_indices", FORM_BOOL, NULL},
    {"direction", FORM_WORD, NULL},
    {"type", FORM_ORDER, "compare_type"},
    {"order", FORM_ORDER, "compare_type"},
    {"replica_groups", FORM_GROUPS, NULL},
    {"source_target_pairs", FORM_PAIRS, NULL},
    {"channel_id", FORM_INT, NULL},
    {"use_global_device_ids", FORM_BOOL, NULL},
    {"constrain_layout", FORM_BOOL, NULL},
    {"split_dimension", FORM_INT, NULL},
    {"to_apply", FORM_CALL, NULL},
    {"condition", FORM_CALL, NULL},
    {"body", FORM_CALL, NULL},
    {"select", FORM_CALL, NULL},
    {"scatter", FORM_CALL, NULL},
    {"calls", FORM_CALL, NULL},
    {"branch_computations", FORM_CALLS, "branch"},
    {"true_computation", FORM_CALL, NULL},
    {"false_computation", FORM_CALL, NULL},
    {"called_computations", FORM_CALLS, "called"},
    {"k", FORM_INT, NULL},
    {"largest", FORM_FLAG, NULL},
    {"is_stable", FORM_BOOL, NULL},
    {"exponent_bits", FORM_INT, NULL},
    {"mantissa_bits", FORM_INT, NULL},
    {"epsilon", FORM_FLOAT, NULL},
    {"feature_index", FORM_INT, NULL},
    {"custom_call_target", FORM_STRING, NULL},
    {"custom_call_has_side_effect", FORM_BOOL, NULL},
    {"distribution", FORM_WORD, NULL},
    {"algorithm", FORM_WORD, NULL},
    {"operand_precision", FORM_PRECISION, NULL},
    {"backend_config", FORM_STRING, NULL},
    {"frontend_attributes", FORM_STRING, NULL},
    {"statistics", FORM_SKIP, NULL},
    {"origin", FORM_SKIP, NULL},
    {"original_value", FORM_SKIP, NULL},
    {"control-predecessors", FORM_SKIP, NULL},
    {"parameter_replication", FORM_SKIP, NULL},
    {"operand_layout_constraints", FORM_STRING, NULL},
    {"api_version", FORM_SKIP, NULL},
    {"schedule", FORM_SKIP, NULL},
    {"output_to_operand_aliasing", FORM_SKIP, NULL},
    {"async_execution_thread", FORM_SKIP, NULL},
};
/* clang-format on */

enum { MAX_ATTRS = 64 };

void spi_text_attr_add(hlo_text *t, const sp_attr *attr, const char *at) {
  for (size_t i = 0; i < t->attrs.n; i++) {
    if (strcmp(t->attrs.v[i].name, attr->name) == 0) {
      hlo_lex_fail(&t->l, at, NULL, "the attribute %s is given twice",
                   attr->name);
    }
  }
  if (t->attrs.n >= MAX_ATTRS) {
    hlo_lex_fail(&t->l, at, NULL, "more than %d attributes", MAX_ATTRS);
  }
  sp_push(t->ctx, &t->attrs, *attr);
  const char *name = attr->name;
  t->attrs.v[t->attrs.n - 1].name = sp_intern(t->ctx, name, strlen(name));
}

static void int_add(hlo_text *t, const char *name, int64_t v, const char *at) {
  sp_attr a = {.name = name, .kind = SP_ATTR_INT, .u.i = v};
  spi_text_attr_add(t, &a, at);
}

static void ints_add(hlo_text *t, const char *name, const int64_t *v, size_t n,
                     const char *at) {
  sp_attr a = {.name = name, .kind = SP_ATTR_INTS, .u.ints = v, .n = n};
  spi_text_attr_add(t, &a, at);
}

static void text_add(hlo_text *t, const char *name, const char *text,
                     const char *at) {
  sp_attr a = {.name = name, .kind = SP_ATTR_TEXT, .u.text = text};
  spi_text_attr_add(t, &a, at);
}

/* --- odd forms, in the order of the enum --------------------------------- */

static void pairs_read(hlo_text *t, const char *name, const char *at) {
  hlo_lex *l = &t->l;
  SP_VEC(int64_t) v = {0};
  hlo_lex_expect(l, '{', "to begin the pairs");
  for (bool first = true; !hlo_lex_accept(l, '}'); first = false) {
    if (!first) {
      hlo_lex_expect(l, ',', "between pairs");
    }
    size_t n;
    const int64_t *pair = hlo_lex_ints(l, '{', '}', &n);
    if (n != 2) {
      hlo_lex_fail(l, at, NULL, "a pair of %zu numbers", n);
    }
    sp_push(t->ctx, &v, pair[0]);
    sp_push(t->ctx, &v, pair[1]);
  }
  ints_add(t, name, v.v, v.n, at);
}

static void metadata_read(hlo_text *t) {
  hlo_lex *l = &t->l;
  sp_pos *pos = &t->instr->pos;
  hlo_lex_expect(l, '{', "to begin the metadata");
  while (!hlo_lex_accept(l, '}')) {
    hlo_lex_accept(l, ',');
    hlo_slice w = hlo_lex_name(l, "a field of the metadata");
    hlo_lex_expect(l, '=', "in the metadata");
    if (hlo_slice_is(w, "op_name")) {
      pos->op_name = hlo_lex_string(l);
    } else if (hlo_slice_is(w, "source_file")) {
      pos->source_file = hlo_lex_string(l);
    } else if (hlo_slice_is(w, "source_line")) {
      int64_t line = hlo_lex_int(l, "source_line");
      pos->source_line = line < 0 || line > UINT32_MAX ? 0 : (uint32_t)line;
    } else if (hlo_slice_is(w, "stack_frame_id")) {
      int64_t id = hlo_lex_int(l, "stack_frame_id");
      if (id >= 1 && (uint64_t)id <= t->frames.n) {
        pos->source_file = t->frames.v[id - 1].file;
        pos->source_line = t->frames.v[id - 1].line;
      }
    } else if (hlo_lex_peek(l) == '"' || hlo_lex_peek(l) == '{') {
      hlo_lex_skip_group(l);
    } else {
      hlo_lex_accept(l, '-');
      hlo_lex_name(l, "a value in the metadata");
    }
  }
}

static void call_read(hlo_text *t, const char *role) {
  hlo_lex *l = &t->l;
  hlo_lex_space(l);
  const char *at = l->p;
  hlo_slice w = hlo_lex_name(l, "a computation");
  const char *name = sp_intern(t->ctx, w.s, w.n);
  sp_push(t->ctx, &t->roles, role);
  sp_push(t->ctx, &t->callees, name);
  sp_push(t->ctx, &t->callee_at, at);
}

static void calls_read(hlo_text *t, const char *role) {
  hlo_lex *l = &t->l;
  hlo_lex_expect(l, '{', "to begin a list of computations");
  for (bool first = true; !hlo_lex_accept(l, '}'); first = false) {
    if (!first) {
      hlo_lex_expect(l, ',', "between computations");
    }
    call_read(t, role);
  }
}

/* {[0:8], [0:4:2]} */
static void slice_read(hlo_text *t, const char *at) {
  hlo_lex *l = &t->l;
  SP_VEC(int64_t) v[3] = {{0}, {0}, {0}};
  hlo_lex_expect(l, '{', "to begin the slice");
  while (!hlo_lex_accept(l, '}')) {
    if (v[0].n) {
      hlo_lex_expect(l, ',', "between the dimensions of a slice");
    }
    hlo_lex_expect(l, '[', "to begin a dimension of a slice");
    int64_t start = hlo_lex_int(l, "the start of a slice");
    hlo_lex_expect(l, ':', "after the start of a slice");
    int64_t limit = hlo_lex_int(l, "the limit of a slice");
    int64_t stride = 1;
    if (hlo_lex_accept(l, ':')) {
      stride = hlo_lex_int(l, "the stride of a slice");
    }
    hlo_lex_expect(l, ']', "after a dimension of a slice");
    sp_push(t->ctx, &v[0], start);
    sp_push(t->ctx, &v[1], limit);
    sp_push(t->ctx, &v[2], stride);
  }
  ints_add(t, "slice_starts", v[0].v, v[0].n, at);
  ints_add(t, "slice_limits", v[1].v, v[1].n, at);
  ints_add(t, "slice_strides", v[2].v, v[2].n, at);
}

static bool accept_raw(hlo_lex *l, char c) {
  if (l->p < l->end && *l->p == c) {
    l->p++;
    return true;
  }
  return false;
}

/* low_high or low_high_interior, dimensions separated by 'x' */
static void padding_read(hlo_text *t, const char *at) {
  hlo_lex *l = &t->l;
  SP_VEC(int64_t) v = {0};
  char c = hlo_lex_peek(l);
  if (c == '-' || (c >= '0' && c <= '9')) {
    do {
      int64_t pad[3] = {0};
      pad[0] = hlo_lex_int(l, "padding");
      if (!accept_raw(l, '_')) {
        hlo_lex_fail(l, l->p, NULL, "padding is written low_high_interior");
      }
      pad[1] = hlo_lex_int(l, "padding");
      if (accept_raw(l, '_')) {
        pad[2] = hlo_lex_int(l, "padding");
      }
      for (int i = 0; i < 3; i++) {
        sp_push(t->ctx, &v, pad[i]);
      }
    } while (accept_raw(l, 'x'));
  }
  ints_add(t, "padding", v.v, v.n, at);
}

static int64_t *window_field(sp_window_dim *d, hlo_slice key) {
  return hlo_slice_is(key, "size")         ? &d->size
         : hlo_slice_is(key, "stride")     ? &d->stride
         : hlo_slice_is(key, "pad")        ? &d->pad_low
         : hlo_slice_is(key, "lhs_dilate") ? &d->base_dilation
         : hlo_slice_is(key, "rhs_dilate") ? &d->window_dilation
                                           : NULL;
}

static size_t window_list(hlo_text *t, hlo_slice key, sp_window_dim *w) {
  hlo_lex *l = &t->l;
  size_t n = 0;
  do {
    if (n >= SP_MAX_DIMS) {
      hlo_lex_fail(l, l->p, NULL, "a window of more than %d dimensions",
                   SP_MAX_DIMS);
    }
    sp_window_dim *d = &w[n++];
    if (hlo_slice_is(key, "rhs_reversal")) {
      d->reversal = hlo_lex_int(l, "a window") != 0;
      continue;
    }
    int64_t *field = window_field(d, key);
    if (!field) {
      hlo_lex_fail(l, key.s, NULL, "%.*s is not a part of a window",
                   (int)(key.n < 80 ? key.n : 80), key.s);
    }
    *field = hlo_lex_int(l, "a window");
    if (field == &d->pad_low) {
      if (!accept_raw(l, '_')) {
        hlo_lex_fail(l, l->p, NULL, "window padding is written low_high");
      }
      d->pad_high = hlo_lex_int(l, "a window");
    }
  } while (accept_raw(l, 'x'));
  return n;
}

/* {size=3x3 stride=2x2 pad=1_1x1_1 rhs_dilate=1x2} */
static void window_read(hlo_text *t, const char *at) {
  hlo_lex *l = &t->l;
  sp_window_dim w[SP_MAX_DIMS];
  for (int i = 0; i < SP_MAX_DIMS; i++) {
    w[i] = (sp_window_dim){1, 1, 0, 0, 1, 1, false};
  }
  size_t n = 0;
  bool any = false;
  hlo_lex_expect(l, '{', "to begin the window");
  while (!hlo_lex_accept(l, '}')) {
    hlo_slice key = hlo_lex_name(l, "a part of a window");
    hlo_lex_expect(l, '=', "in a window");
    size_t m = window_list(t, key, w);
    if (any && m != n) {
      hlo_lex_fail(l, key.s, NULL, "%zu numbers in a window of %zu dimensions",
                   m, n);
    }
    any = true;
    n = m;
  }
  sp_window_dim *copy = sp_alloc_n(t->ctx, n, sizeof *copy);
  memcpy(copy, w, n * sizeof *copy);
  sp_attr a = {
      .name = "window", .kind = SP_ATTR_WINDOW, .u.window = copy, .n = n};
  spi_text_attr_add(t, &a, at);
}

/* One of the three parts of "b01f_01io->b01f": where the dimensions `first`,
 * `second`, 0, 1, ... stand. */
static void conv_part(hlo_text *t, const char *name, char first, char second,
                      const char *at) {
  hlo_lex *l = &t->l;
  int64_t where[SP_MAX_DIMS + 2];
  size_t n = 0, seen = 0;
  for (int i = 0; i < SP_MAX_DIMS + 2; i++) {
    where[i] = -1;
  }
  for (; l->p < l->end && *l->p != '_' && *l->p != '-' && *l->p != ',' &&
         *l->p > ' ';
       l->p++, n++) {
    char c = *l->p;
    size_t slot = c == first               ? 0
                  : c == second            ? 1
                  : (c >= '0' && c <= '9') ? (size_t)(c - '0') + 2
                                           : SP_MAX_DIMS + 2;
    if (slot >= SP_MAX_DIMS + 2 || where[slot] >= 0) {
      hlo_lex_fail(l, l->p, NULL, "dimension label '%c' is not understood", c);
    }
    where[slot] = (int64_t)n;
    seen = slot + 1 > seen ? slot + 1 : seen;
  }
  if (n < 2 || n != seen || where[0] < 0 || where[1] < 0) {
    hlo_lex_fail(l, at, NULL, "the dimension labels of %s have gaps", name);
  }
  int64_t *copy = sp_alloc_n(t->ctx, n, sizeof *copy);
  memcpy(copy, where, n * sizeof *copy);
  ints_add(t, name, copy, n, at);
}

static void conv_dims_read(hlo_text *t, const char *at) {
  hlo_lex *l = &t->l;
  hlo_lex_space(l);
  conv_part(t, "conv_input", 'b', 'f', at);
  if (!accept_raw(l, '_')) {
    hlo_lex_fail(l, l->p, NULL, "dim_labels are written lhs_rhs->out");
  }
  conv_part(t, "conv_kernel", 'i', 'o', at);
  if (!accept_raw(l, '-') || !accept_raw(l, '>')) {
    hlo_lex_fail(l, l->p, NULL, "dim_labels are written lhs_rhs->out");
  }
  conv_part(t, "conv_output", 'b', 'f', at);
}

/* {highest,default}; the default on all operands says nothing. */
static void precision_read(hlo_text *t, const char *at) {
  hlo_lex *l = &t->l;
  sp_str text = {0};
  bool plain = true;
  hlo_lex_expect(l, '{', "to begin the precisions");
  while (!hlo_lex_accept(l, '}')) {
    if (text.n) {
      hlo_lex_expect(l, ',', "between precisions");
      sp_str_add(t->ctx, &text, ",");
    }
    hlo_slice w = hlo_lex_name(l, "a precision");
    plain = plain && hlo_slice_is(w, "default");
    sp_str_addn(t->ctx, &text, w.s, w.n);
  }
  if (!plain) {
    text_add(t, "operand_precision", text.v, at);
  }
}

/* order=TOTAL (new) and type=TOTALORDER (old) say the same, order=PARTIAL what
 * nothing says. */
static void order_read(hlo_text *t, const char *raw, const char *at) {
  hlo_lex *l = &t->l;
  hlo_slice w = hlo_lex_name(l, "an order");
  bool total = hlo_slice_is(w, "TOTAL") || hlo_slice_is(w, "TOTALORDER");
  bool type = total || hlo_slice_is(w, "FLOAT") || hlo_slice_is(w, "SIGNED") ||
              hlo_slice_is(w, "UNSIGNED");
  bool compare = strcmp(t->instr->opcode, "compare") == 0;
  if (compare && type) {
    const char *text = total ? "TOTALORDER" : sp_intern(t->ctx, w.s, w.n);
    text_add(t, "compare_type", text, at);
  } else if (!compare || !hlo_slice_is(w, "PARTIAL")) {
    text_add(t, raw, sp_intern(t->ctx, w.s, w.n), at);
  }
}

static void float_read(hlo_text *t, const char *name, const char *at) {
  hlo_slice w = hlo_lex_skip_value(&t->l);
  char text[64] = {0};
  char *stop = text;
  memcpy(text, w.s, w.n < sizeof text - 1 ? w.n : sizeof text - 1);
  double v = strtod(text, &stop);
  if (w.n == 0 || w.n >= sizeof text || *stop) {
    hlo_lex_fail(&t->l, at, NULL, "a number was expected for %s", name);
  }
  sp_attr a = {.name = name, .kind = SP_ATTR_FLOAT, .u.f = v};
  spi_text_attr_add(t, &a, at);
}

static const char *string_or_bare(hlo_text *t) {
  if (hlo_lex_peek(&t->l) == '"') {
    return hlo_lex_string(&t->l);
  }
  hlo_slice w = hlo_lex_skip_value(&t->l);
  return sp_intern(t->ctx, w.s, w.n);
}

static void sharding_read(hlo_text *t, const char *at) {
  if (t->instr->n_shardings) {
    hlo_lex_fail(&t->l, at, NULL, "the attribute sharding is given twice");
  }
  hlo_leaves leaves = spi_text_sharding(t);
  t->instr->n_shardings = leaves.n;
  t->instr->shardings = leaves.v;
}

/* --- dispatch ------------------------------------------------------------ */

static void row_read(hlo_text *t, const row *r, const char *at) {
  hlo_lex *l = &t->l;
  const char *name = r->out ? r->out : r->name;
  size_t n;
  switch (r->form) {
  case FORM_SKIP:
    hlo_lex_skip_value(l);
    break;
  case FORM_INT:
    int_add(t, name, hlo_lex_int(l, name), at);
    break;
  case FORM_BOOL:
    if (hlo_lex_bool(l)) {
      int_add(t, name, 1, at);
    }
    break;
  case FORM_FLAG:
    int_add(t, name, hlo_lex_bool(l), at);
    break;
  case FORM_INTS: {
    const int64_t *v = hlo_lex_ints(l, '{', '}', &n);
    ints_add(t, name, v, n, at);
    break;
  }
  case FORM_FLOAT:
    float_read(t, name, at);
    break;
  case FORM_WORD: {
    hlo_slice w = hlo_lex_name(l, name);
    text_add(t, name, sp_intern(t->ctx, w.s, w.n), at);
    break;
  }
  case FORM_STRING:
    text_add(t, name, string_or_bare(t), at);
    break;
  case FORM_PAIRS:
    pairs_read(t, name, at);
    break;
  case FORM_GROUPS: {
    sp_attr a = {.name = name, .kind = SP_ATTR_GROUPS};
    a.u.groups = spi_text_groups(t);
    if (a.u.groups) {
      spi_text_attr_add(t, &a, at);
    }
    break;
  }
  case FORM_SHARDING:
    sharding_read(t, at);
    break;
  case FORM_METADATA:
    metadata_read(t);
    break;
  case FORM_CALL:
    call_read(t, name);
    break;
  case FORM_CALLS:
    calls_read(t, name);
    break;
  case FORM_SLICE:
    slice_read(t, at);
    break;
  case FORM_PADDING:
    padding_read(t, at);
    break;
  case FORM_WINDOW:
    window_read(t, at);
    break;
  case FORM_CONV_DIMS:
    conv_dims_read(t, at);
    break;
  case FORM_PRECISION:
    precision_read(t, at);
    break;
  case FORM_ORDER:
    order_read(t, r->name, at);
    break;
  }
}

static bool is_op(const hlo_text *t, const char *opcode) {
  return strcmp(t->instr->opcode, opcode) == 0;
}

/* Names that mean something else, or nothing, on some opcodes. */
static bool attr_is_harmless(const hlo_text *t, hlo_slice name) {
  if (hlo_slice_is(name, "kind")) {
    return is_op(t, "fusion");
  }
  if (hlo_slice_is(name, "is_composite")) {
    return is_op(t, "call");
  }
  /* Elsewhere they only steer the compiler. */
  return !is_op(t, "custom-call") &&
         (hlo_slice_is(name, "backend_config") ||
          hlo_slice_is(name, "frontend_attributes") ||
          hlo_slice_is(name, "operand_layout_constraints"));
}

void spi_text_attrs(hlo_text *t) {
  hlo_lex *l = &t->l;
  while (hlo_lex_accept(l, ',')) {
    hlo_lex_space(l);
    const char *at = l->p;
    hlo_slice w = hlo_lex_name(l, "an attribute");
    hlo_lex_expect(l, '=', "after the name of an attribute");
    if (attr_is_harmless(t, w)) {
      string_or_bare(t);
      continue;
    }
    const row *r = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !r; i++) {
      r = rows[i].name[0] == w.s[0] && hlo_slice_is(w, rows[i].name) ? &rows[i]
                                                                     : NULL;
    }
    if (r) {
      row_read(t, r, at);
    } else {
      const char *name = sp_intern(t->ctx, w.s, w.n);
      text_add(t, name, string_or_bare(t), at);
    }
  }
}
