/* campaign_print.c: HLO text. Read camp_print, at the end. */
#include "tests/campaign.h"

#include <math.h>
#include <string.h>

typedef struct printer {
  sp_ctx *ctx;
  const camp_program *p;
  const camp_mesh *mesh;
  sp_str out;
  const char *prefix; /* of names: "", or the loop's */
} printer;

#define ADD(pr, ...) sp_str_addf((pr)->ctx, &(pr)->out, __VA_ARGS__)

static void ints(printer *pr, const char *before, const int64_t *v, uint32_t n,
                 const char *between, const char *after) {
  ADD(pr, "%s", before);
  for (uint32_t i = 0; i < n; i++) {
    ADD(pr, "%s%lld", i ? between : "", (long long)v[i]);
  }
  ADD(pr, "%s", after);
}

static void shape(printer *pr, const camp_node *n) {
  ADD(pr, "%s", sp_dtype_name(n->type));
  ints(pr, "[", n->dims, n->n_dims, ",", "]");
}

/* ---- constants ---- */

static void value(printer *pr, sp_dtype t, double v) {
  if (t == SP_PRED) {
    ADD(pr, "%s", v != 0 ? "true" : "false");
  } else if (isinf(v)) {
    ADD(pr, "%s", v < 0 ? "-inf" : "inf");
  } else {
    ADD(pr, "%.17g", v);
  }
}

/* Elements from `from` on, in braces, a pair of them a dimension. */
static void elements(printer *pr, const camp_node *n, uint32_t d, size_t from) {
  if (d == n->n_dims) {
    value(pr, n->type, n->values[n->n_values == 1 ? 0 : from]);
    return;
  }
  size_t stride = 1;
  for (uint32_t e = d + 1; e < n->n_dims; e++) {
    stride *= (size_t)n->dims[e];
  }
  ADD(pr, "{");
  for (int64_t i = 0; i < n->dims[d]; i++) {
    ADD(pr, "%s", i ? ", " : "");
    elements(pr, n, d + 1, from + (size_t)i * stride);
  }
  ADD(pr, "}");
}

/* ---- shardings ---- */

static uint32_t axes_in_order(const camp_mesh *m, const camp_value *v,
                              uint32_t n_dims, uint32_t *order,
                              uint32_t *cutting) {
  uint32_t n = 0;
  for (uint32_t d = 0; d < n_dims; d++) {
    for (uint32_t a = 0; a < m->n_axes; a++) {
      if (v->at[a].held == CAMP_PART && v->at[a].dim == d) {
        order[n++] = a;
      }
    }
  }
  *cutting = n;
  for (uint32_t a = 0; a < m->n_axes; a++) {
    if (v->at[a].held != CAMP_PART) {
      order[n++] = a;
    }
  }
  return n;
}

/* The notation of old: the device of each tile. */
static void tile_list(printer *pr, const camp_value *v, uint32_t n_dims) {
  const camp_mesh *m = pr->mesh;
  uint32_t order[CAMP_AXES], cutting;
  uint32_t n = axes_in_order(m, v, n_dims, order, &cutting);
  int64_t copies = 1;
  for (uint32_t i = cutting; i < n; i++) {
    copies *= m->size[order[i]];
  }
  ADD(pr, "{devices=[");
  for (uint32_t d = 0; d < n_dims; d++) {
    ADD(pr, "%s%lld", d ? "," : "", (long long)camp_tiles(m, v->at, d));
  }
  if (copies > 1) {
    ADD(pr, ",%lld", (long long)copies);
  }
  ADD(pr, "]");
  for (int64_t i = 0; i < m->devices; i++) {
    int64_t rest = i, at[CAMP_AXES] = {0}, place = 0;
    for (uint32_t k = n; k-- > 0;) {
      at[order[k]] = rest % m->size[order[k]];
      rest /= m->size[order[k]];
    }
    for (uint32_t a = 0; a < m->n_axes; a++) {
      place = place * m->size[a] + at[a];
    }
    ADD(pr, "%s%lld", i ? "," : "", (long long)m->device[place]);
  }
  ADD(pr, "%s}", copies > 1 ? " last_tile_dim_replicate" : "");
}

/* The notation of today: which axes cut which dimension. */
static void named_axes(printer *pr, const camp_value *v, uint32_t n_dims) {
  const camp_mesh *m = pr->mesh;
  ADD(pr, "{mesh[");
  for (uint32_t a = 0; a < m->n_axes; a++) {
    ADD(pr, "%s'a%u'=%lld", a ? "," : "", a, (long long)m->size[a]);
  }
  ADD(pr, "], [");
  for (uint32_t d = 0; d < n_dims; d++) {
    ADD(pr, "%s{", d ? ", " : "");
    bool first = true;
    for (uint32_t a = 0; a < m->n_axes; a++) {
      if (v->at[a].held == CAMP_PART && v->at[a].dim == d) {
        ADD(pr, "%s'a%u'", first ? "" : ", ", a);
        first = false;
      }
    }
    ADD(pr, "}");
  }
  ADD(pr, "]}");
}

static void sharding(printer *pr, const camp_value *v, uint32_t n_dims) {
  uint32_t order[CAMP_AXES], cutting;
  axes_in_order(pr->mesh, v, n_dims, order, &cutting);
  if (!cutting) {
    ADD(pr, "{replicated}");
  } else if (pr->mesh->ordered && v->node % 2) {
    named_axes(pr, v, n_dims);
  } else {
    tile_list(pr, v, n_dims);
  }
}

/* ---- attributes ---- */

/* Dimensions 0 .. n-1 but one. */
static void all_but(printer *pr, const char *before, uint32_t n, int64_t but) {
  ADD(pr, "%s", before);
  bool first = true;
  for (uint32_t d = 0; d < n; d++) {
    if (d != but) {
      ADD(pr, "%s%u", first ? "" : ",", d);
      first = false;
    }
  }
  ADD(pr, "}");
}

static void to_apply(printer *pr, const camp_node *n) {
  ADD(pr, ", to_apply=%%%s.%s", camp_op_name(camp_red_op(n->red)),
      sp_dtype_name(n->type));
}

static void dot_attributes(printer *pr, const camp_node *n) {
  int64_t lhs[CAMP_DIMS], rhs[CAMP_DIMS];
  uint32_t batch = 0;
  for (; batch < n->n_dims && n->z[2 * batch] >= 0; batch++) {
    lhs[batch] = n->z[2 * batch];
    rhs[batch] = n->z[2 * batch + 1];
  }
  if (batch) {
    ints(pr, ", lhs_batch_dims={", lhs, batch, ",", "}");
  }
  ints(pr, ", lhs_contracting_dims={", n->x, n->n_x, ",", "}");
  if (batch) {
    ints(pr, ", rhs_batch_dims={", rhs, batch, ",", "}");
  }
  ints(pr, ", rhs_contracting_dims={", n->y, n->n_x, ",", "}");
}

static void per_dimension(printer *pr, const camp_node *n) {
  for (uint32_t d = 0; d < n->n_x; d++) {
    long long x = n->x[d], y = n->y[d], z = n->z[d];
    if (n->op == CAMP_OP_SLICE) {
      ADD(pr, "%s[%lld:%lld:%lld]", d ? ", " : "", x, y, z);
    } else {
      ADD(pr, "%s%lld_%lld_%lld", d ? "x" : "", x, y, z);
    }
  }
}

static void window(printer *pr, const camp_node *n) {
  ints(pr, ", window={size=", n->x, n->n_x, "x", "");
  ints(pr, " stride=", n->y, n->n_x, "x", " pad=");
  for (uint32_t d = 0; d < n->n_x; d++) {
    ADD(pr, "%s%lld_%lld", d ? "x" : "", (long long)(n->z[d] % 100),
        (long long)(n->z[d] / 100));
  }
  ADD(pr, "}");
}

static void gather_attributes(printer *pr, const camp_node *n) {
  const camp_node *a = camp_at(pr->p, n->in[0]);
  uint32_t index_dims = camp_at(pr->p, n->in[1])->n_dims;
  long long dim = n->x[0];
  int64_t sizes[CAMP_DIMS];
  memcpy(sizes, a->dims, sizeof sizes);
  sizes[dim] = 1;
  if (index_dims) {
    all_but(pr, ", offset_dims={", n->n_dims, dim);
  } else {
    all_but(pr, ", offset_dims={", n->n_dims, -1);
  }
  ADD(pr,
      ", collapsed_slice_dims={%lld}, start_index_map={%lld}, "
      "index_vector_dim=%u",
      dim, dim, index_dims);
  ints(pr, ", slice_sizes={", sizes, a->n_dims, ",", "}");
}

static void group_lists(printer *pr, const camp_node *n) {
  for (uint32_t g = 0; g < n->n_groups; g++) {
    ints(pr, g ? ",{" : "{", n->groups + g * n->group_size, n->group_size, ",",
         "}");
  }
}

static void collective(printer *pr, const camp_node *n, uint32_t id) {
  ADD(pr, ", channel_id=%u, replica_groups={", id + 1);
  group_lists(pr, n);
  ADD(pr, "}");
  if (n->op != CAMP_OP_ALL_REDUCE) {
    ADD(pr, ", dimensions={%lld}", (long long)n->x[0]);
  }
  if (n->op != CAMP_OP_ALL_TO_ALL) {
    ADD(pr, ", use_global_device_ids=true");
  }
  if (n->op == CAMP_OP_ALL_REDUCE || n->op == CAMP_OP_REDUCE_SCATTER) {
    to_apply(pr, n);
  }
}

static void attributes(printer *pr, const camp_node *n, uint32_t id) {
  switch (camp_op_kind(n->op)) {
  case CAMP_IOTA:
    ADD(pr, ", iota_dimension=%lld", (long long)n->x[0]);
    break;
  case CAMP_ELEMENT:
    if (n->direction) {
      ADD(pr, ", direction=%s", n->direction);
    }
    break;
  case CAMP_BROADCAST:
  case CAMP_TRANSPOSE:
  case CAMP_REVERSE:
  case CAMP_CONCAT:
    ints(pr, ", dimensions={", n->x, n->n_x, ",", "}");
    break;
  case CAMP_SLICE:
    ADD(pr, ", slice={");
    per_dimension(pr, n);
    ADD(pr, "}");
    break;
  case CAMP_PAD:
    ADD(pr, ", padding=");
    per_dimension(pr, n);
    break;
  case CAMP_REDUCE:
    ints(pr, ", dimensions={", n->x, n->n_x, ",", "}");
    to_apply(pr, n);
    break;
  case CAMP_DOT:
    dot_attributes(pr, n);
    break;
  case CAMP_CONV:
    ADD(pr,
        ", window={size=%lld stride=%lld pad=%lld_%lld}, "
        "dim_labels=b0f_0io->b0f",
        (long long)camp_at(pr->p, n->in[1])->dims[0], (long long)n->x[0],
        (long long)n->x[1], (long long)n->x[2]);
    break;
  case CAMP_GATHER:
    gather_attributes(pr, n);
    break;
  case CAMP_SCATTER:
    all_but(pr, ", update_window_dims={", n->n_dims, n->x[0]);
    ADD(pr,
        ", inserted_window_dims={%lld}, scatter_dims_to_operand_dims={"
        "%lld}, index_vector_dim=1",
        (long long)n->x[0], (long long)n->x[0]);
    to_apply(pr, n);
    break;
  case CAMP_DYN_SLICE:
    ints(pr, ", dynamic_slice_sizes={", n->dims, n->n_dims, ",", "}");
    break;
  case CAMP_SORT:
    ADD(pr, ", dimensions={%lld}, is_stable=true, to_apply=%%%s.%s",
        (long long)n->x[0], n->x[1] ? "greater" : "less",
        sp_dtype_name(n->type));
    break;
  case CAMP_WINDOW:
    window(pr, n);
    to_apply(pr, n);
    break;
  case CAMP_COLLECTIVE:
    collective(pr, n, id);
    break;
  case CAMP_PERMUTE:
    ADD(pr, ", channel_id=%u, source_target_pairs={", id + 1);
    group_lists(pr, n);
    ADD(pr, "}");
    break;
  case CAMP_GIVEN:
  case CAMP_RESHAPE:
  case CAMP_DYN_UPDATE:
  case CAMP_LOOP:
    break;
  }
}

/* ---- nodes ---- */

static void name(printer *pr, uint32_t id) {
  ADD(pr, "%%%sn%u", pr->prefix, id);
}

/* (s32[], state, what does not change) */
static void loop_type(printer *pr, const camp_node *n) {
  ADD(pr, "(s32[]");
  for (uint32_t k = 0; k < n->n_in; k++) {
    ADD(pr, ", ");
    shape(pr, camp_at(pr->p, n->in[k]));
  }
  ADD(pr, ")");
}

static void loop(printer *pr, const camp_node *n, uint32_t id) {
  ADD(pr, "  %%zero%u = s32[] constant(0)\n  %%start%u = ", id, id);
  loop_type(pr, n);
  ADD(pr, " tuple(%%zero%u", id);
  for (uint32_t k = 0; k < n->n_in; k++) {
    ADD(pr, ", ");
    name(pr, n->in[k]);
  }
  ADD(pr, ")\n  %%loop%u = ", id);
  loop_type(pr, n);
  ADD(pr, " while(%%start%u), condition=%%condition%u, body=%%body%u\n", id, id,
      id);
  ADD(pr, "  ");
  name(pr, id);
  ADD(pr, " = ");
  shape(pr, n);
  ADD(pr, " get-tuple-element(%%loop%u), index=1", id);
}

static void node(printer *pr, uint32_t id, const int64_t *number) {
  const camp_node *n = camp_at(pr->p, id);
  if (n->op == CAMP_OP_LOOP) {
    loop(pr, n, id);
    return;
  }
  ADD(pr, "  ");
  name(pr, id);
  ADD(pr, " = ");
  shape(pr, n);
  ADD(pr, " %s(", camp_op_name(n->op));
  if (n->op == CAMP_OP_PARAMETER) {
    ADD(pr, "%lld", (long long)*number);
  } else if (n->op == CAMP_OP_CONSTANT) {
    elements(pr, n, 0, 0);
  }
  for (uint32_t k = 0; k < n->n_in; k++) {
    ADD(pr, "%s", k ? ", " : "");
    name(pr, n->in[k]);
  }
  ADD(pr, ")");
  attributes(pr, n, id);
}

/* ---- computations ---- */

static void reducer(printer *pr, camp_red red, sp_dtype t) {
  const char *op = camp_op_name(camp_red_op(red)), *type = sp_dtype_name(t);
  ADD(pr, "%%%s.%s (x: %s[], y: %s[]) -> %s[] {\n", op, type, type, type, type);
  ADD(pr, "  %%x = %s[] parameter(0)\n  %%y = %s[] parameter(1)\n", type, type);
  ADD(pr, "  ROOT %%z = %s[] %s(%%x, %%y)\n}\n\n", type, op);
}

static void comparator(printer *pr, bool less, sp_dtype t) {
  const char *type = sp_dtype_name(t), *op = less ? "less" : "greater";
  ADD(pr, "%%%s.%s (x: %s[], y: %s[]) -> pred[] {\n", op, type, type, type);
  ADD(pr, "  %%x = %s[] parameter(0)\n  %%y = %s[] parameter(1)\n", type, type);
  ADD(pr, "  ROOT %%z = pred[] compare(%%x, %%y), direction=%s\n}\n\n",
      less ? "LT" : "GT");
}

static void helpers(printer *pr) {
  for (camp_red red = CAMP_SUM; red <= CAMP_MIN; red++) {
    reducer(pr, red, SP_F32);
    reducer(pr, red, SP_S32);
    reducer(pr, red, SP_BF16);
  }
  reducer(pr, CAMP_AND, SP_PRED);
  reducer(pr, CAMP_OR, SP_PRED);
  for (int less = 0; less < 2; less++) {
    comparator(pr, less, SP_F32);
    comparator(pr, less, SP_S32);
  }
}

/* Body and condition: the counter is the body's parameter 0. */
static void loop_regions(printer *pr, const camp_node *n, uint32_t id) {
  ADD(pr, "%%condition%u (t: ", id);
  loop_type(pr, n);
  ADD(pr, ") -> pred[] {\n  %%t = ");
  loop_type(pr, n);
  ADD(pr,
      " parameter(0)\n  %%i = s32[] get-tuple-element(%%t), index=0\n"
      "  %%n = s32[] constant(%lld)\n  ROOT %%c = pred[] compare(%%i, %%n),"
      " direction=LT\n}\n\n%%body%u (t: ",
      (long long)n->trips, id);
  loop_type(pr, n);
  ADD(pr, ") -> ");
  loop_type(pr, n);
  ADD(pr, " {\n  %%t = ");
  loop_type(pr, n);
  ADD(pr, " parameter(0)\n");
  printer in = *pr;
  in.p = n->body;
  in.prefix = sp_format(pr->ctx, "b%u.", id);
  bool *needed = camp_needed(in.p);
  for (uint32_t k = 0; k < in.p->params.n; k++) {
    ADD(&in, "  ");
    name(&in, in.p->params.v[k]);
    ADD(&in, " = ");
    shape(&in, camp_at(in.p, in.p->params.v[k]));
    ADD(&in, " get-tuple-element(%%t), index=%u\n", k);
  }
  for (uint32_t i = 0; i < in.p->nodes.n; i++) {
    if (needed[i] && camp_at(in.p, i)->op != CAMP_OP_PARAMETER) {
      node(&in, i, NULL);
      ADD(&in, "\n");
    }
  }
  ADD(&in, "  %%one = s32[] constant(1)\n  %%next = s32[] add(");
  name(&in, in.p->params.v[0]);
  ADD(&in, ", %%one)\n  ROOT %%new = ");
  in.p = pr->p;
  loop_type(&in, n);
  in.p = n->body;
  ADD(&in, " tuple(%%next, ");
  name(&in, in.p->results.v[0]);
  for (uint32_t k = 2; k < in.p->params.n; k++) {
    ADD(&in, ", ");
    name(&in, in.p->params.v[k]);
  }
  ADD(&in, ")\n}\n\n");
  pr->out = in.out;
}

/* Shardings go on the parameters and the result of the global program. */
static void entry(printer *pr, const camp_value *params,
                  const camp_value *results) {
  bool *needed = camp_needed(pr->p);
  int64_t number = 0;
  for (uint32_t i = 0; i < pr->p->nodes.n; i++) {
    const camp_node *n = camp_at(pr->p, i);
    bool given =
        number < (int64_t)pr->p->params.n && pr->p->params.v[number] == i;
    if (needed[i] || given) {
      node(pr, i, &number);
      if (given && params) {
        ADD(pr, ", sharding=");
        sharding(pr, &params[number], n->n_dims);
      }
      number += given;
      ADD(pr, "\n");
    }
  }
  ADD(pr, "  ROOT %%results = (");
  for (size_t k = 0; k < pr->p->results.n; k++) {
    ADD(pr, "%s", k ? ", " : "");
    shape(pr, camp_at(pr->p, pr->p->results.v[k]));
  }
  ADD(pr, ") tuple(");
  for (size_t k = 0; k < pr->p->results.n; k++) {
    ADD(pr, "%s", k ? ", " : "");
    name(pr, pr->p->results.v[k]);
  }
  ADD(pr, ")");
  if (results) {
    ADD(pr, ", sharding={");
    for (size_t k = 0; k < pr->p->results.n; k++) {
      ADD(pr, "%s", k ? ", " : "");
      sharding(pr, &results[k], camp_at(pr->p, pr->p->results.v[k])->n_dims);
    }
    ADD(pr, "}");
  }
  ADD(pr, "\n");
}

const char *camp_print(sp_ctx *ctx, const camp_program *p,
                       const camp_mesh *mesh, const camp_value *params,
                       const camp_value *results, const char *module) {
  printer pr = {.ctx = ctx, .p = p, .mesh = mesh, .prefix = ""};
  ADD(&pr, "HloModule %s, num_partitions=%lld\n\n", module,
      (long long)mesh->devices);
  helpers(&pr);
  bool *needed = camp_needed(p);
  for (uint32_t i = 0; i < p->nodes.n; i++) {
    if (needed[i] && camp_at(p, i)->op == CAMP_OP_LOOP) {
      loop_regions(&pr, camp_at(p, i), i);
    }
  }
  ADD(&pr, "ENTRY %%main {\n");
  entry(&pr, params, results);
  ADD(&pr, "}\n");
  return pr.out.v;
}
