/* campaign_break.c: one fault in the program of a device, as people make them.
 * Read the table at the end: what each kind strikes, and what it does there.
 * Whether the fault does any harm is for the interpreter to say.
 *
 * The node that is struck is the one with the smallest hash of what it came
 * from, so that the same is struck when the program around it is shrunk.
 */
#include "tests/campaign.h"

#include <math.h>
#include <string.h>

typedef struct site {
  camp_program *p;
  const camp_mesh *mesh;
  uint32_t at;
  camp_rng rng;
  const bool *needed;
} site;

static camp_node *struck(const site *s) {
  return &s->p->nodes.v[s->at];
}

static const camp_node *operand(const site *s, uint32_t k) {
  return camp_at(s->p, struck(s)->in[k]);
}

static bool same_type(const camp_node *a, const camp_node *b) {
  return a->type == b->type && a->n_dims == b->n_dims &&
         memcmp(a->dims, b->dims, a->n_dims * sizeof *a->dims) == 0;
}

/* ---- edits ---- */

/* The node becomes what its operand k is. */
static void becomes(const site *s, uint32_t k) {
  camp_node *n = struck(s);
  uint32_t x = n->in[k];
  n->op = CAMP_OP_COPY;
  n->n_in = 1;
  n->in[0] = x;
  n->n_x = 0;
}

static uint32_t moved(uint32_t x, uint32_t at) {
  return x > at ? x + 1 : x;
}

/* A node right after the one struck, which alone uses it; all others use the
 * new one. */
static void insert_after(const site *s, camp_node node) {
  camp_program *p = s->p;
  node.from = struck(s)->from;
  camp_push(p, node);
  memmove(&p->nodes.v[s->at + 2], &p->nodes.v[s->at + 1],
          (p->nodes.n - s->at - 2) * sizeof node);
  p->nodes.v[s->at + 1] = node;
  for (size_t i = s->at + 2; i < p->nodes.n; i++) {
    camp_node *n = &p->nodes.v[i];
    for (uint32_t k = 0; k < n->n_in; k++) {
      n->in[k] += n->in[k] >= s->at;
    }
  }
  for (size_t i = 0; i < p->params.n; i++) {
    p->params.v[i] = moved(p->params.v[i], s->at);
  }
  for (size_t i = 0; i < p->results.n; i++) {
    p->results.v[i] += p->results.v[i] >= s->at;
  }
}

static void new_values(const site *s, uint32_t changed, double by) {
  camp_node *n = struck(s);
  double *v = sp_alloc_n(s->p->ctx, n->n_values + 1, sizeof *v);
  for (size_t i = 0; i < n->n_values; i++) {
    v[i] = n->values[i] + (i == changed || changed == UINT32_MAX ? by : 0);
  }
  n->values = v;
}

/* ---- collectives ---- */

static bool is_all_reduce(const site *s) {
  return struck(s)->op == CAMP_OP_ALL_REDUCE;
}

static bool adds(const site *s) {
  camp_op op = struck(s)->op;
  return (op == CAMP_OP_ALL_REDUCE || op == CAMP_OP_REDUCE_SCATTER) &&
         struck(s)->red == CAMP_SUM && struck(s)->type != SP_PRED;
}

static void drop(const site *s) {
  becomes(s, 0);
}

static void twice(const site *s) {
  camp_node n = *struck(s);
  n.in[0] = s->at;
  insert_after(s, n);
}

static bool has_groups(const site *s) {
  return camp_op_kind(struck(s)->op) == CAMP_COLLECTIVE &&
         struck(s)->n_groups > 1;
}

/* The list of members dealt out the other way round. */
static void regroup(const site *s) {
  camp_node *n = struck(s);
  int64_t *ids = sp_alloc_n(s->p->ctx, (size_t)s->mesh->devices, sizeof *ids);
  for (uint32_t g = 0; g < n->n_groups; g++) {
    for (uint32_t k = 0; k < n->group_size; k++) {
      ids[g * n->group_size + k] = n->groups[k * n->n_groups + g];
    }
  }
  n->groups = ids;
}

static bool can_split(const site *s) {
  return is_all_reduce(s) && struck(s)->group_size % 2 == 0;
}

static void split_groups(const site *s) {
  struck(s)->group_size /= 2;
  struck(s)->n_groups *= 2;
}

static void all_devices(const site *s) {
  struck(s)->group_size *= struck(s)->n_groups;
  struck(s)->n_groups = 1;
}

static bool is_all_reduce_in_groups(const site *s) {
  return is_all_reduce(s) && struck(s)->n_groups > 1;
}

static bool ordered_members(const site *s) {
  camp_op op = struck(s)->op;
  return op == CAMP_OP_ALL_GATHER || op == CAMP_OP_ALL_TO_ALL ||
         op == CAMP_OP_REDUCE_SCATTER;
}

static void swap_members(const site *s) {
  camp_node *n = struck(s);
  size_t count = (size_t)s->mesh->devices;
  int64_t *ids = sp_alloc_n(s->p->ctx, count, sizeof *ids);
  memcpy(ids, n->groups, count * sizeof *ids);
  for (uint32_t g = 0; g < n->n_groups; g++) {
    ids[g * n->group_size] = n->groups[g * n->group_size + 1];
    ids[g * n->group_size + 1] = n->groups[g * n->group_size];
  }
  n->groups = ids;
}

static bool is_permute(const site *s) {
  return struck(s)->op == CAMP_OP_PERMUTE;
}

/* All pairs the other way round. */
static void turn_pairs(const site *s) {
  camp_node *n = struck(s);
  size_t count = 2 * (size_t)n->n_groups;
  int64_t *ids = sp_alloc_n(s->p->ctx, count, sizeof *ids);
  for (size_t i = 0; i < count; i++) {
    ids[i] = n->groups[i ^ 1];
  }
  n->groups = ids;
}

/* Two targets get each other's. */
static void swap_targets(const site *s) {
  camp_node *n = struck(s);
  size_t count = 2 * (size_t)n->n_groups;
  int64_t *ids = sp_alloc_n(s->p->ctx, count, sizeof *ids);
  memcpy(ids, n->groups, count * sizeof *ids);
  ids[1] = n->groups[3];
  ids[3] = n->groups[1];
  n->groups = ids;
}

static bool reduces(const site *s) {
  camp_op op = struck(s)->op;
  return op == CAMP_OP_ALL_REDUCE || op == CAMP_OP_REDUCE_SCATTER ||
         op == CAMP_OP_REDUCE;
}

static void other_reduction(const site *s) {
  static const camp_red other[CAMP_N_REDS] = {
      [CAMP_SUM] = CAMP_MAX, [CAMP_PROD] = CAMP_SUM, [CAMP_MAX] = CAMP_MIN,
      [CAMP_MIN] = CAMP_MAX, [CAMP_AND] = CAMP_OR,   [CAMP_OR] = CAMP_AND};
  struck(s)->red = other[struck(s)->red];
}

/* What a mean does once too often, or forgets. */
static void scale(const site *s) {
  site here = *s;
  camp_node n = *struck(s);
  camp_op op =
      n.type == SP_F32 && n.n_in % 2 ? CAMP_OP_DIVIDE : CAMP_OP_MULTIPLY;
  double *v = sp_alloc(s->p->ctx, sizeof *v);
  *v = n.group_size;
  camp_node c = {.op = CAMP_OP_CONSTANT,
                 .type = n.type,
                 .values = v,
                 .n_values = 1,
                 .n_dims = n.n_dims};
  memcpy(c.dims, n.dims, sizeof c.dims);
  /* x, then x * c: the constant goes between them, and nobody uses it but the
   * last */
  camp_node product = {.op = op,
                       .type = n.type,
                       .n_dims = n.n_dims,
                       .n_in = 2,
                       .in = {s->at, s->at}};
  memcpy(product.dims, n.dims, sizeof product.dims);
  insert_after(&here, product);
  insert_after(&here, c);
  camp_node *last = &s->p->nodes.v[s->at + 2];
  last->in[0] = s->at;
  last->in[1] = s->at + 1;
}

/* ---- positions and masks ---- */

static bool is_table(const site *s) {
  return struck(s)->role == CAMP_TABLE;
}

static bool is_stride(const site *s) {
  return struck(s)->role == CAMP_STRIDE;
}

static bool is_limit(const site *s) {
  return struck(s)->role == CAMP_LIMIT;
}

static bool is_mask(const site *s) {
  return struck(s)->role == CAMP_MASK;
}

static bool is_once(const site *s) {
  return struck(s)->role == CAMP_ONCE;
}

static bool is_shift(const site *s) {
  return struck(s)->role == CAMP_SHIFT;
}

static void one_entry(const site *s) {
  site here = *s;
  uint32_t which = camp_draw(&here.rng, (uint32_t)struck(s)->n_values);
  new_values(s, which, struck(s)->values[which] > 0 ? -1 : 1);
}

static void one_more(const site *s) {
  new_values(s, UINT32_MAX, 1);
}

static void one_less(const site *s) {
  new_values(s, UINT32_MAX, -1);
}

/* Parts overlap, or leave gaps: offsets are multiples of the smallest that is
 * not zero, in any order. */
static void table_stride(const site *s) {
  camp_node *n = struck(s);
  double *v = sp_alloc_n(s->p->ctx, n->n_values + 1, sizeof *v);
  double step = 0;
  for (size_t i = 0; i < n->n_values; i++) {
    double at = n->values[i];
    step = at > 0 && (step == 0 || at < step) ? at : step;
  }
  for (size_t i = 0; i < n->n_values; i++) {
    v[i] =
        step > 0 ? floor(n->values[i] / step) * (step > 1 ? step - 1 : 2) : 0;
  }
  n->values = v;
}

static void value_instead(const site *s) {
  becomes(s, 1);
}

/* ---- of the operator itself ---- */

static bool is_plain(const site *s) {
  return struck(s)->role == CAMP_PLAIN;
}

static bool is_constant(const site *s) {
  const camp_node *n = struck(s);
  return n->op == CAMP_OP_CONSTANT && is_plain(s) && n->type != SP_PRED &&
         fabs(n->values[0]) < 1e6;
}

static bool swaps(const site *s) {
  camp_op op = struck(s)->op;
  bool two = op == CAMP_OP_SUBTRACT || op == CAMP_OP_DIVIDE ||
             op == CAMP_OP_CONCAT || op == CAMP_OP_COMPARE ||
             op == CAMP_OP_REMAINDER || op == CAMP_OP_ATAN2;
  return two && same_type(operand(s, 0), operand(s, 1));
}

static bool is_concat(const site *s) {
  return struck(s)->op == CAMP_OP_CONCAT && swaps(s);
}

static void swap_operands(const site *s) {
  camp_node *n = struck(s);
  uint32_t was = n->in[0];
  n->in[0] = n->in[1];
  n->in[1] = was;
}

static bool is_select(const site *s) {
  return struck(s)->op == CAMP_OP_SELECT;
}

static void swap_branches(const site *s) {
  camp_node *n = struck(s);
  uint32_t was = n->in[1];
  n->in[1] = n->in[2];
  n->in[2] = was;
}

static bool is_compare(const site *s) {
  return struck(s)->op == CAMP_OP_COMPARE;
}

static void other_direction(const site *s) {
  camp_node *n = struck(s);
  static const char *const pairs[][2] = {{"LT", "LE"}, {"LE", "LT"},
                                         {"GT", "GE"}, {"GE", "GT"},
                                         {"EQ", "NE"}, {"NE", "EQ"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    if (strcmp(n->direction, pairs[i][0]) == 0) {
      n->direction = pairs[i][1];
      return;
    }
  }
}

/* Dimensions that only their meaning tells apart. */
static bool find_axes(const site *s, uint32_t *i, uint32_t *j) {
  const camp_node *n = struck(s);
  camp_kind kind = camp_op_kind(n->op);
  for (*i = 0; *i < n->n_x; ++*i) {
    for (*j = *i + 1; *j < n->n_x; ++*j) {
      if ((kind == CAMP_TRANSPOSE && n->dims[*i] == n->dims[*j]) ||
          (kind == CAMP_BROADCAST && n->dims[n->x[*i]] == n->dims[n->x[*j]])) {
        return true;
      }
    }
  }
  return false;
}

static bool has_axes(const site *s) {
  uint32_t i, j;
  return find_axes(s, &i, &j);
}

static void swap_axes(const site *s) {
  uint32_t i, j;
  if (find_axes(s, &i, &j)) {
    camp_node *n = struck(s);
    int64_t was = n->x[i];
    n->x[i] = n->x[j];
    n->x[j] = was;
  }
}

static bool is_square(const site *s) {
  const camp_node *n = struck(s);
  camp_op op = n->op;
  bool takes = op == CAMP_OP_IOTA || op == CAMP_OP_REVERSE ||
               op == CAMP_OP_SORT || op == CAMP_OP_CONCAT;
  int64_t d = takes ? n->x[0] : 0, e = d ? 0 : 1;
  return takes && n->n_dims >= 2 && n->dims[d] == n->dims[e] &&
         op != CAMP_OP_CONCAT;
}

static void other_dimension(const site *s) {
  struck(s)->x[0] = struck(s)->x[0] ? 0 : 1;
}

static bool slides(const site *s) {
  const camp_node *n = struck(s);
  for (uint32_t d = 0; n->op == CAMP_OP_SLICE && d < n->n_x; d++) {
    if (n->y[d] < operand(s, 0)->dims[d]) {
      return true;
    }
  }
  return false;
}

static void slide(const site *s) {
  camp_node *n = struck(s);
  for (uint32_t d = 0; d < n->n_x; d++) {
    if (n->y[d] < operand(s, 0)->dims[d]) {
      n->x[d]++;
      n->y[d]++;
      return;
    }
  }
}

static bool pads(const site *s) {
  const camp_node *n = struck(s);
  for (uint32_t d = 0; n->op == CAMP_OP_PAD && d < n->n_x; d++) {
    if (n->y[d] > 0) {
      return true;
    }
  }
  return false;
}

static void shift_padding(const site *s) {
  camp_node *n = struck(s);
  for (uint32_t d = 0; d < n->n_x; d++) {
    if (n->y[d] > 0) {
      n->y[d]--;
      n->x[d]++;
      return;
    }
  }
}

static bool find_twin(const site *s, camp_op *twin) {
  static const camp_op pairs[][2] = {
      {CAMP_OP_ADD, CAMP_OP_SUBTRACT},    {CAMP_OP_SUBTRACT, CAMP_OP_ADD},
      {CAMP_OP_MAXIMUM, CAMP_OP_MINIMUM}, {CAMP_OP_MINIMUM, CAMP_OP_MAXIMUM},
      {CAMP_OP_SINE, CAMP_OP_COSINE},     {CAMP_OP_FLOOR, CAMP_OP_CEIL},
      {CAMP_OP_AND, CAMP_OP_OR},          {CAMP_OP_NEGATE, CAMP_OP_ABS}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    if (struck(s)->op == pairs[i][0]) {
      *twin = pairs[i][1];
      return true;
    }
  }
  return false;
}

static bool has_twin(const site *s) {
  camp_op twin;
  return find_twin(s, &twin);
}

static void become_twin(const site *s) {
  find_twin(s, &struck(s)->op);
}

/* An earlier tensor of the same shape: stale, or simply another. */
static bool find_stale(const site *s, uint32_t *k, uint32_t *other) {
  const camp_node *n = struck(s);
  for (*k = 0; *k < n->n_in; ++*k) {
    for (*other = n->in [*k]; (*other)-- > 0;) {
      const camp_node *x = camp_at(s->p, *other);
      if (s->needed[*other] && same_type(x, operand(s, *k)) && x->n_dims &&
          n->in[*k] != *other && x->op != CAMP_OP_CONSTANT) {
        return true;
      }
    }
  }
  return false;
}

static bool has_stale(const site *s) {
  uint32_t k, other;
  return find_stale(s, &k, &other);
}

static void take_stale(const site *s) {
  uint32_t k, other;
  if (find_stale(s, &k, &other)) {
    struck(s)->in[k] = other;
  }
}

static bool is_loop(const site *s) {
  return struck(s)->op == CAMP_OP_LOOP;
}

static void one_step_more(const site *s) {
  struck(s)->trips++;
}

/* ---- the kinds ---- */

typedef struct fault {
  const char *name;
  bool (*fits)(const site *s);
  void (*strike)(const site *s);
} fault;

/* clang-format off */
static const fault faults[] = {
  {"all-reduce dropped", is_all_reduce, drop},
  {"all-reduce doubled", is_all_reduce, twice},
  {"wrong groups", has_groups, regroup},
  {"all-reduce over half a group", can_split, split_groups},
  {"all-reduce over all devices", is_all_reduce_in_groups, all_devices},
  {"wrong reduction", reduces, other_reduction},
  {"members in wrong order", ordered_members, swap_members},
  {"permutation turned round", is_permute, turn_pairs},
  {"wrong source in permutation", is_permute, swap_targets},
  {"scaled by the size of the group", adds, scale},
  {"counted on every device", is_once, value_instead},
  {"wrong offset on one device", is_table, one_entry},
  {"wrong offset on all devices", is_table, one_more},
  {"wrong stride in table", is_table, table_stride},
  {"wrong stride", is_stride, one_more},
  {"stride too small", is_stride, one_less},
  {"padding not masked", is_mask, value_instead},
  {"mask one too long", is_limit, one_more},
  {"mask one too short", is_limit, one_less},
  {"local index not shifted", is_shift, drop},
  {"wrong order of parts", is_concat, swap_operands},
  {"operands swapped", swaps, swap_operands},
  {"branches swapped", is_select, swap_branches},
  {"other comparison", is_compare, other_direction},
  {"axes swapped", has_axes, swap_axes},
  {"other dimension", is_square, other_dimension},
  {"slice one off", slides, slide},
  {"padding on the wrong side", pads, shift_padding},
  {"constant changed", is_constant, one_more},
  {"similar operator", has_twin, become_twin},
  {"stale operand", has_stale, take_stale},
  {"one step too many", is_loop, one_step_more},
};
/* clang-format on */

enum { N_FAULTS = sizeof faults / sizeof *faults };

static bool find_site(site *s, const fault *f, uint64_t seed,
                      const bool *allowed) {
  uint64_t best = 0;
  uint32_t found = UINT32_MAX, from = UINT32_MAX, ordinal = 0;
  for (uint32_t i = 0; i < s->p->nodes.n; i++) {
    s->at = i;
    ordinal = struck(s)->from == from ? ordinal + 1 : 0;
    from = struck(s)->from;
    if (!allowed[i] || !f->fits(s)) {
      continue;
    }
    camp_rng r = camp_rng_of(seed + ordinal, from);
    uint64_t h = camp_bits(&r) | 1;
    if (h > best) {
      best = h;
      found = i;
    }
  }
  s->at = found;
  return found != UINT32_MAX;
}

const char *camp_break(camp_program *p, const camp_mesh *mesh, uint64_t seed,
                       uint32_t first_from, uint32_t end_from) {
  site s = {.p = p, .mesh = mesh, .rng = camp_rng_of(seed, 3)};
  bool *allowed = camp_needed(p);
  s.needed = camp_needed(p);
  for (size_t i = 0; i < p->nodes.n; i++) {
    uint32_t from = p->nodes.v[i].from;
    allowed[i] = allowed[i] && from >= first_from && from < end_from;
  }
  uint32_t first = camp_draw(&s.rng, N_FAULTS);
  for (uint32_t i = 0; i < N_FAULTS; i++) {
    const fault *f = &faults[(first + i) % N_FAULTS];
    if (find_site(&s, f, seed, allowed)) {
      f->strike(&s);
      return f->name;
    }
  }
  return NULL;
}
