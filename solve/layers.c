/* layers.c: what is kept of a tensor, then the map, then its use. Read
 * spi_layers_relate, last. */
#include "solve/layers.h"

#include "graph/same.h"
#include "solve/machine.h"
#include "solve/numbers.h"
#include "solve/unread.h"

#include <stdlib.h>

/* What one relation rests on; where it is more it is not kept. */
enum { MAX_OPENED = 400, MAX_CONE = 400, MAX_TERMS = 4000, MAX_TRIED = 4 };

/* A distributed tensor that was looked at in the usual way. */
typedef struct step {
  uint64_t key;
  uint32_t dist;
  uint32_t next; /* another step with the key's slot + 1, or 0 */
  size_t n_opened, n_named, n_made;
  const uint32_t *opened; /* sequential tensors, in program order */
  const uint32_t *named;  /* of these: that were anchors before */
  const uint32_t *made;   /* that became anchors by it */
} step;

typedef struct pair {
  uint32_t like, dist;
} pair;

struct spi_layers {
  sp_ctx *ctx;
  spi_numbers *numbers;
  spi_unread unread; /* of the distributed program */
  uint64_t *key;     /* by distributed tensor; 0: it is like nothing */
  SP_VEC(step) steps;
  uint32_t *slots; /* steps + 1, by key */
  uint32_t n_slots;
  SP_VEC(uint32_t) opened, made; /* by the tensor that is looked at */
  bool recording, used;
  /* The map of this round, by sequential tensor: the image, and its value;
   * SP_NO_TENSOR where not known (or the round is another). */
  uint32_t round;
  uint32_t *stamp, *image, *value;
  SP_VEC(pair) pairs; /* distributed tensors that are to be alike */
  SP_VEC(pair) fresh; /* sequential ones: the second is to be an anchor */
  uint32_t left;      /* terms that may still be compared */
};

static uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ h >> 29;
}

spi_layers *spi_layers_new(sp_state *s) {
  const sp_problem *problem = s->problem;
  if (s->parent || problem->ranked || problem->manual || problem->versions ||
      spi_has_loop(s->seq_program) || spi_has_loop(s->dist_program)) {
    return NULL;
  }
  uint32_t n = s->seq_program->n_tensors + 1u;
  spi_layers *l = sp_alloc(s->ctx, sizeof *l);
  l->ctx = s->ctx;
  l->numbers = spi_numbers_new(s);
  l->unread = spi_unread_of(s, s->dist_program);
  l->key = sp_alloc_n(s->ctx, s->dist_program->n_tensors + 1u, sizeof *l->key);
  l->stamp = sp_alloc_n(s->ctx, n, sizeof *l->stamp);
  l->image = sp_alloc_n(s->ctx, n, sizeof *l->image);
  l->value = sp_alloc_n(s->ctx, n, sizeof *l->value);
  l->n_slots = 1024;
  l->slots = sp_alloc_n(s->ctx, l->n_slots, sizeof *l->slots);
  return l;
}

bool spi_layers_used(const spi_layers *l) {
  return l && l->used;
}

static const sp_node *dist_node(const sp_state *s, uint32_t t) {
  return &s->dist_program->nodes[s->dist_program->tensors[t].node];
}

static const sp_node *seq_node(const sp_state *s, uint32_t t) {
  return &s->seq_program->nodes[s->seq_program->tensors[t].node];
}

/* ---- what is kept ---- */

void spi_layers_open(spi_layers *l, uint32_t seq) {
  if (l && l->recording) {
    sp_push(l->ctx, &l->opened, seq);
  }
}

void spi_layers_anchor(spi_layers *l, uint32_t seq) {
  if (l && l->recording) {
    sp_push(l->ctx, &l->made, seq);
  }
}

size_t spi_layers_mark(const spi_layers *l) {
  return l ? l->opened.n : 0;
}

void spi_layers_reset(spi_layers *l, size_t mark) {
  if (l && l->recording) {
    l->opened.n = mark;
  }
}

static uint64_t shape_key(const sp_shape *shape) {
  uint64_t h = (uint64_t)shape->dtype;
  for (uint32_t d = 0; d < shape->n_dims; d++) {
    h = mix(h, (uint64_t)shape->dims[d]);
  }
  return h;
}

/* Tensors that are alike have the same: a hash of the operators down to related
 * tensors, and of the relations of these up to the names of symbols. */
static uint64_t key_of(const sp_state *s, uint32_t t) {
  const sp_node *node = dist_node(s, t);
  const sp_tensor *tensors = s->dist_program->tensors;
  uint64_t h = mix(sp_node_hash(node), tensors[t].result);
  h = mix(h, shape_key(&tensors[t].shape));
  for (uint32_t i = 0; i < node->n_in; i++) {
    uint32_t in = node->in[i];
    sp_expr relation = s->dist[in].relation;
    uint64_t key = s->layers->key[in];
    if (spi_is_unread(s->layers->unread, tensors[t].node, i)) {
      h = mix(h, shape_key(&tensors[in].shape));
      continue;
    }
    if (relation.v) {
      key = mix(spi_vain_key(s->vain, relation, (sp_hyps){0}),
                shape_key(&tensors[in].shape));
    }
    if (!key || (!relation.v && s->dist[in].opaque)) {
      return 0;
    }
    h = mix(h, key);
  }
  return h | 1;
}

static uint32_t *slot_of(const spi_layers *l, uint64_t key) {
  return &l->slots[(uint32_t)(key >> 16) & (l->n_slots - 1)];
}

static void grow(spi_layers *l) {
  l->n_slots *= 2;
  l->slots = sp_alloc_n(l->ctx, l->n_slots, sizeof *l->slots);
  for (uint32_t i = 0; i < l->steps.n; i++) {
    uint32_t *slot = slot_of(l, l->steps.v[i].key);
    l->steps.v[i].next = *slot;
    *slot = i + 1;
  }
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static bool open_once(spi_layers *l, uint32_t t) {
  bool once = l->stamp[t] != l->round;
  if (once) {
    l->stamp[t] = l->round;
    sp_push(l->ctx, &l->opened, t);
  }
  return once;
}

/* Adds what is inlined into the definitions that were opened, and what became
 * an anchor only afterwards. False: too much, or something has no definition
 * by its operator. */
static bool close_opened(sp_state *s) {
  spi_layers *l = s->layers;
  size_t n = l->opened.n;
  uint32_t *first = sp_alloc_n(s->ctx, n + 1u, sizeof *first);
  for (size_t i = 0; i < n; i++) {
    first[i] = l->opened.v[i];
  }
  l->opened.n = 0;
  l->round++;
  for (size_t i = 0; i < n; i++) {
    open_once(l, first[i]);
  }
  for (size_t i = 0; i < l->made.n; i++) {
    open_once(l, l->made.v[i]);
  }
  for (size_t i = 0; i < l->opened.n && i < MAX_OPENED; i++) {
    const sp_node *node = seq_node(s, l->opened.v[i]);
    if (s->seq[l->opened.v[i]].opaque) {
      return false;
    }
    for (uint32_t k = 0; k < node->n_in; k++) {
      if (!s->seq[node->in[k]].anchor &&
          spi_number_reads(l->numbers, node, k)) {
        open_once(l, node->in[k]);
      }
    }
  }
  if (l->opened.n) {
    qsort(l->opened.v, l->opened.n, sizeof *l->opened.v, by_number);
  }
  return l->opened.n <= MAX_OPENED;
}

/* What is known of an anchor was found when it became one, by definitions that
 * may not be among those that are opened now. */
static void keep_named(sp_state *s, step *x) {
  spi_layers *l = s->layers;
  uint32_t *named = sp_alloc_n(l->ctx, x->n_opened + 1u, sizeof *named);
  l->round++;
  for (size_t i = 0; i < x->n_made; i++) {
    l->stamp[x->made[i]] = l->round;
  }
  for (size_t i = 0; i < x->n_opened; i++) {
    uint32_t t = x->opened[i];
    if (s->seq[t].anchor && l->stamp[t] != l->round) {
      named[x->n_named++] = t;
    }
  }
  x->named = named;
}

static const uint32_t *copied(spi_layers *l, const uint32_t *v, size_t n) {
  uint32_t *copy = sp_alloc_n(l->ctx, n + 1u, sizeof *copy);
  for (size_t i = 0; i < n; i++) {
    copy[i] = v[i];
  }
  return copy;
}

void spi_layers_begin(sp_state *s, uint32_t dist) {
  spi_layers *l = s->layers;
  if (l) {
    l->opened.n = l->made.n = 0;
    l->recording = l->key[dist] != 0;
  }
}

void spi_layers_end(sp_state *s, uint32_t dist) {
  spi_layers *l = s->layers;
  if (!l || !l->recording) {
    return;
  }
  l->recording = false;
  if (s->dist[dist].opaque) {
    l->key[dist] = 0;
    return;
  }
  if (!close_opened(s)) {
    return;
  }
  step x = {.key = l->key[dist],
            .dist = dist,
            .n_opened = l->opened.n,
            .n_made = l->made.n,
            .opened = copied(l, l->opened.v, l->opened.n),
            .made = copied(l, l->made.v, l->made.n)};
  keep_named(s, &x);
  if (l->steps.n >= l->n_slots) {
    grow(l);
  }
  uint32_t *slot = slot_of(l, x.key);
  x.next = *slot;
  sp_push(l->ctx, &l->steps, x);
  *slot = (uint32_t)l->steps.n;
}

/* ---- the map ---- */

static void touch(spi_layers *l, uint32_t t) {
  if (l->stamp[t] != l->round) {
    l->stamp[t] = l->round;
    l->image[t] = l->value[t] = SP_NO_TENSOR;
  }
}

static bool same_digits(const spi_digit *a, const spi_digit *b, uint32_t n) {
  bool same = !a == !b;
  for (uint32_t d = 0; a && same && d < n; d++) {
    same = a[d].n == b[d].n && a[d].stride == b[d].stride;
  }
  return same;
}

/* All that a proof may use of a symbol without opening its definition. */
static bool is_known_alike(const sp_state *s, uint32_t a, uint32_t b) {
  const sp_tensor *x = &s->seq_program->tensors[a];
  const sp_tensor *y = &s->seq_program->tensors[b];
  const seq_tensor *v = &s->seq[a], *w = &s->seq[b];
  return sp_shape_equal(&x->shape, &y->shape) &&
         sp_sym_same_facts(s->pool, v->sym, w->sym) && v->idle == w->idle &&
         same_digits(v->repeated, w->repeated, x->shape.n_dims);
}

static bool map_symbol(sp_state *s, uint32_t from, uint32_t to) {
  spi_layers *l = s->layers;
  touch(l, from);
  if (l->image[from] != SP_NO_TENSOR) {
    return l->image[from] == to;
  }
  l->image[from] = to;
  l->value[from] = spi_number_of(l->numbers, to);
  return is_known_alike(s, from, to);
}

/* Kinds of which the arguments are all there is. */
static bool is_plain(sp_kind kind) {
  return kind == SP_KIND_ITE || kind == SP_KIND_I2R || kind == SP_KIND_NOT ||
         kind == SP_KIND_MUL || kind == SP_KIND_OR || kind == SP_KIND_LT0 ||
         kind == SP_KIND_EQ0;
}

static bool same_coefficients(sp_pool *p, sp_expr a, sp_expr b) {
  bool same = sp_num_eq(sp_add_const(p, a), sp_add_const(p, b));
  for (uint32_t i = 0; same && i < sp_n_args(p, a); i++) {
    same = sp_num_eq(sp_add_coef(p, a, i), sp_add_coef(p, b, i));
  }
  return same;
}

static bool same_symbols(sp_state *s, sp_expr a, sp_expr b) {
  sp_sym x = sp_read_sym(s->pool, a), y = sp_read_sym(s->pool, b);
  if (sp_sym_is_table(s->pool, x) || sp_sym_is_table(s->pool, y)) {
    return x.v == y.v;
  }
  uint32_t from = spi_seq_tensor(s, x), to = spi_seq_tensor(s, y);
  return from != SP_NO_TENSOR && to != SP_NO_TENSOR && map_symbol(s, from, to);
}

/* Two relations are the same but for the tensors they read, which are mapped.
 * Relations nest to a limited depth. */
static bool map_terms(sp_state *s, sp_expr a, sp_expr b) {
  sp_pool *p = s->pool;
  if (!sp_has_read(p, a)) {
    return a.v == b.v;
  }
  sp_kind kind = sp_kind_of(p, a);
  uint32_t n = sp_n_args(p, a);
  if (kind != sp_kind_of(p, b) || n != sp_n_args(p, b) || !s->layers->left) {
    return false;
  }
  s->layers->left--;
  bool same = kind == SP_KIND_READ  ? same_symbols(s, a, b)
              : kind == SP_KIND_ADD ? same_coefficients(p, a, b)
                                    : is_plain(kind);
  for (uint32_t i = 0; same && i < n; i++) {
    same = map_terms(s, sp_arg(p, a, i), sp_arg(p, b, i));
  }
  return same;
}

/* Operand k of two tensors: alike, or to be compared in turn. */
static bool map_operand(sp_state *s, pair x, uint32_t k) {
  spi_layers *l = s->layers;
  const sp_tensor *tensors = s->dist_program->tensors;
  uint32_t like = dist_node(s, x.like)->in[k],
           dist = dist_node(s, x.dist)->in[k];
  bool unread = spi_is_unread(l->unread, tensors[x.like].node, k);
  const dist_tensor *v = &s->dist[like], *w = &s->dist[dist];
  if (!sp_shape_equal(&tensors[like].shape, &tensors[dist].shape) ||
      unread != spi_is_unread(l->unread, tensors[x.dist].node, k)) {
    return false;
  }
  if (unread || !v->relation.v != !w->relation.v) {
    return unread;
  }
  if (v->relation.v) {
    return map_terms(s, v->relation, w->relation);
  }
  for (size_t i = 0; i < l->pairs.n; i++) {
    if (l->pairs.v[i].like == like && l->pairs.v[i].dist == dist) {
      return true;
    }
  }
  sp_push(l->ctx, &l->pairs, ((pair){like, dist}));
  return l->pairs.n <= MAX_CONE && !v->opaque && !w->opaque;
}

/* The same operators down to related tensors, which are mapped. */
static bool map_operators(sp_state *s, uint32_t like, uint32_t dist) {
  spi_layers *l = s->layers;
  const sp_tensor *tensors = s->dist_program->tensors;
  l->pairs.n = 0;
  sp_push(l->ctx, &l->pairs, ((pair){like, dist}));
  for (size_t i = 0; i < l->pairs.n; i++) {
    pair x = l->pairs.v[i];
    const sp_node *a = dist_node(s, x.like), *b = dist_node(s, x.dist);
    bool same = sp_op_find(a->op) &&
                sp_op_same(s->dist_program, a, s->dist_program, b) &&
                a->n_in == b->n_in && a->n_out == b->n_out &&
                tensors[x.like].result == tensors[x.dist].result;
    for (uint32_t o = 0; same && o < a->n_out; o++) {
      same = sp_shape_equal(&tensors[a->out + o].shape,
                            &tensors[b->out + o].shape);
    }
    for (uint32_t k = 0; same && k < a->n_in; k++) {
      same = map_operand(s, x, k);
    }
    if (!same) {
      return false;
    }
  }
  return true;
}

/* The value of the image of an operand; SP_NO_TENSOR: it has none. */
static uint32_t value_of_operand(sp_state *s, uint32_t t) {
  spi_layers *l = s->layers;
  touch(l, t);
  bool constant = seq_node(s, t)->n_in == 0 && !s->seq[t].opaque;
  if (l->value[t] == SP_NO_TENSOR && constant) {
    map_symbol(s, t, t);
  }
  return l->value[t];
}

/* The image of an opened tensor is what its operator makes of the images of its
 * operands. */
static bool map_opened(sp_state *s, uint32_t t) {
  spi_layers *l = s->layers;
  const sp_node *node = seq_node(s, t);
  sp_mark mark = sp_scratch_mark(s->ctx);
  uint32_t *in = sp_scratch(s->ctx, (node->n_in + 1u) * sizeof *in);
  bool known = true;
  for (uint32_t k = 0; known && k < node->n_in; k++) {
    bool reads = spi_number_reads(l->numbers, node, k);
    in[k] = reads ? value_of_operand(s, node->in[k]) : SP_NO_TENSOR;
    known = !reads || in[k] != SP_NO_TENSOR;
  }
  uint32_t first =
      known ? spi_number_apply(l->numbers, node, in) : SP_NO_TENSOR;
  sp_scratch_release(s->ctx, mark);
  if (first == SP_NO_TENSOR) {
    return false;
  }
  uint32_t value =
      spi_number_of(l->numbers, first + s->seq_program->tensors[t].result);
  touch(l, t);
  bool agrees = l->value[t] == SP_NO_TENSOR || l->value[t] == value;
  l->value[t] = value;
  /* Elsewhere it goes by the name of an anchor of equal value. */
  uint32_t alias = s->seq[t].alias;
  return agrees && (!alias || value_of_operand(s, alias - 1) == value);
}

/* A tensor to name where t was named: an anchor of which the same is known, or
 * one that becomes it (of which the same follows, as it did of t). */
static bool name_image(sp_state *s, uint32_t t, bool made) {
  spi_layers *l = s->layers;
  touch(l, t);
  uint32_t value = l->value[t], anchors = 0;
  if (l->image[t] != SP_NO_TENSOR || value == SP_NO_TENSOR) {
    return l->image[t] != SP_NO_TENSOR;
  }
  for (uint32_t u = value; u != SP_NO_TENSOR;
       u = spi_number_next(l->numbers, u)) {
    uint32_t name = s->seq[u].alias ? s->seq[u].alias - 1 : u;
    anchors += s->seq[name].anchor;
    if (s->seq[name].anchor && is_known_alike(s, t, name)) {
      l->image[t] = name;
      return true;
    }
  }
  if (anchors || !made || s->seq[value].opaque) {
    return false;
  }
  l->image[t] = value;
  sp_push(l->ctx, &l->fresh, ((pair){t, value}));
  return true;
}

static bool name_reads(sp_state *s, sp_expr e) {
  sp_pool *p = s->pool;
  if (!sp_has_read(p, e)) {
    return true;
  }
  bool ok = true;
  if (sp_kind_of(p, e) == SP_KIND_READ) {
    sp_sym sym = sp_read_sym(p, e);
    uint32_t t = spi_seq_tensor(s, sym);
    ok = sp_sym_is_table(p, sym) ||
         (t != SP_NO_TENSOR && name_image(s, t, false));
  }
  for (uint32_t i = 0; ok && i < sp_n_args(p, e); i++) {
    ok = name_reads(s, sp_arg(p, e, i));
  }
  return ok;
}

static bool map_all(sp_state *s, const step *x, uint32_t dist) {
  spi_layers *l = s->layers;
  l->round++;
  l->left = MAX_TERMS;
  l->fresh.n = 0;
  bool ok = map_operators(s, x->dist, dist);
  for (size_t i = 0; ok && i < x->n_opened; i++) {
    ok = map_opened(s, x->opened[i]);
  }
  for (size_t i = 0; ok && i < x->n_named; i++) {
    ok = name_image(s, x->named[i], false);
  }
  for (size_t i = 0; ok && i < x->n_made; i++) {
    ok = name_image(s, x->made[i], true);
  }
  sp_expr relation = s->dist[x->dist].relation;
  return ok && (!relation.v || name_reads(s, relation));
}

/* ---- its use ---- */

static sp_expr visit(void *env, sp_pool *p, sp_expr e) {
  sp_state *s = env;
  if (!sp_has_read(p, e)) {
    return e;
  }
  if (sp_kind_of(p, e) != SP_KIND_READ ||
      sp_sym_is_table(p, sp_read_sym(p, e))) {
    return (sp_expr){0};
  }
  sp_expr idx[SP_MAX_DIMS];
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    idx[i] = sp_map(p, sp_arg(p, e, i), visit, env);
  }
  uint32_t t = s->layers->image[spi_seq_tensor(s, sp_read_sym(p, e))];
  return sp_read(p, s->seq[t].sym, idx);
}

static void adopt(sp_state *s, const step *x, uint32_t dist) {
  spi_layers *l = s->layers;
  const dist_tensor *v = &s->dist[x->dist];
  dist_tensor *w = &s->dist[dist];
  for (size_t i = 0; i < l->fresh.n; i++) {
    spi_seq_follow(s, l->fresh.v[i].dist, l->fresh.v[i].like);
  }
  w->how = v->how;
  w->like = x->dist + 1;
  l->used = true;
  if (!v->relation.v) {
    s->stats.unrelated++;
    return;
  }
  w->relation = sp_map(s->pool, v->relation, visit, s);
  if (!v->seq) {
    s->stats.views++;
    return;
  }
  uint32_t t = l->image[v->seq - 1];
  t = t != SP_NO_TENSOR ? t : l->value[v->seq - 1];
  w->seq = t + 1;
  if (t > s->last) {
    s->last = t;
    s->last_at = dist;
  }
  s->stats.matched++;
}

bool spi_layers_relate(sp_state *s, uint32_t dist) {
  spi_layers *l = s->layers;
  if (!l) {
    return false;
  }
  l->key[dist] = key_of(s, dist);
  uint32_t tried = 0;
  for (uint32_t i = l->key[dist] ? *slot_of(l, l->key[dist]) : 0;
       i && tried < MAX_TRIED; i = l->steps.v[i - 1].next) {
    const step *x = &l->steps.v[i - 1];
    if (x->key == l->key[dist]) {
      tried++;
      if (map_all(s, x, dist)) {
        adopt(s, x, dist);
        return true;
      }
    }
  }
  return false;
}
