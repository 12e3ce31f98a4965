/* red_order.c: in which order a reduction lists its bound variables: that of
 * their first use in a walk of the body.
 *
 * The walk must not depend on ids: arguments of sums are stored by age, and
 * fresh variables are as old as the moment; which of d < 0 and its negation is
 * kept, and the sign of an equation, follow from that order, too. So
 * commutative arguments (and branches of choices) are visited by skeleton and
 * then by a hash that is blind to all of this. It is computed twice: first with
 * every fresh or bound variable alike, but one marked at a time, which gives
 * each variable a signature; then with the signatures in their place. What
 * still ties is symmetric, mostly. Any order would be sound.
 */
#include "encode/real.h"

typedef struct walk {
  sp_pool *p;
  const spi_set *wanted;
  sp_expr marked;      /* first pass: this one, or none */
  uint32_t *signature; /* second pass: of wanted->v[i]; else NULL */
  spi_memo *hashes, *seen;
  sp_expr *out;
  uint32_t n;
} walk;

static uint32_t mix(uint32_t h, uint64_t v) {
  uint64_t x = (h + UINT64_C(0x9e3779b97f4a7c15)) ^ v;
  x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
  x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
  return (uint32_t)(x >> 32);
}

static bool is_renamed(const sp_pool *p, sp_expr v) {
  sp_var_class c = spi_var_of(p, v)->cls;
  return c == SP_VAR_FRESH || c == SP_VAR_BOUND;
}

static bool commutes(sp_kind kind) {
  return kind == SP_KIND_LIN || kind == SP_KIND_ADD || kind == SP_KIND_MUL ||
         kind == SP_KIND_MAX || kind == SP_KIND_MIN || kind == SP_KIND_OR ||
         kind == SP_KIND_REQ;
}

static uint32_t hash_of(walk *w, sp_expr e);

static uint32_t hash_var(const walk *w, sp_expr v) {
  if (!is_renamed(w->p, v)) {
    return mix(5, v.v);
  }
  uint32_t h = mix(3, (uint64_t)sp_var_extent(w->p, v));
  for (uint32_t i = 0; w->signature && i < w->wanted->n; i++) {
    if (spi_same(w->wanted->v[i], v)) {
      return w->signature[i];
    }
  }
  return spi_same(v, w->marked) ? mix(h, 1) : h;
}

/* The argument with its coefficient: without its sign, which an equation may
 * turn. */
static uint32_t hash_arg(walk *w, const spi_node_t *d, uint32_t i) {
  uint32_t h = hash_of(w, d->args[i]);
  if (d->kind == SP_KIND_LIN) {
    int64_t c = d->coefs.lin[i];
    return mix(h, c < 0 ? 0 - (uint64_t)c : (uint64_t)c);
  }
  return d->kind == SP_KIND_ADD ? mix(h, d->coefs.add[i].v) : h;
}

static uint32_t hash_node(walk *w, const spi_node_t *d) {
  if (d->kind == SP_KIND_NOT) {
    return hash_of(w, d->args[0]);
  }
  uint64_t payload = d->kind == SP_KIND_LIN ? 0 : (uint64_t)d->payload;
  uint32_t h = mix((uint32_t)d->kind * 8 + d->sort, payload);
  if (d->kind == SP_KIND_RED) {
    return mix(h, hash_of(w, d->args[d->n - 1]));
  }
  bool branches = d->kind == SP_KIND_ITE;
  for (uint32_t i = 0; i < d->n; i++) {
    uint32_t a = hash_arg(w, d, i);
    bool any_order = commutes((sp_kind)d->kind) || (branches && i > 0);
    h = any_order ? h + mix(17, a) : mix(h, a);
  }
  return h;
}

/* Nothing in e differs from walk to walk or from name to name. */
static bool is_plain(const sp_pool *p, const spi_node_t *d) {
  for (uint32_t i = 0; i < d->free->n; i++) {
    if (is_renamed(p, d->free->v[i])) {
      return false;
    }
  }
  return true;
}

static uint32_t hash_of(walk *w, sp_expr e) {
  const spi_node_t *d = spi_get(w->p, e);
  if (d->kind == SP_KIND_VAR) {
    return hash_var(w, e);
  }
  if (is_plain(w->p, d)) {
    return mix(7, e.v);
  }
  sp_expr known = spi_memo_get(w->hashes, e);
  if (!known.v) {
    known.v = hash_node(w, d) | 1;
    spi_memo_put(w->p, w->hashes, e, known);
  }
  return known.v;
}

/* ---- the walk ---- */

typedef struct child {
  uint64_t skeleton;
  uint32_t hash;
  sp_expr e;
} child;

static bool child_before(const child *a, const child *b) {
  return a->skeleton != b->skeleton ? a->skeleton < b->skeleton
                                    : a->hash < b->hash;
}

static void walk_term(walk *w, sp_expr e);

/* The arguments from the given one on, in their canonical order. */
static void walk_sorted(walk *w, const spi_node_t *d, uint32_t from) {
  sp_mark mark = sp_scratch_mark(w->p->ctx);
  child *v = sp_scratch(w->p->ctx, d->n * sizeof *v);
  uint32_t n = 0;
  for (uint32_t i = from; i < d->n; i++) {
    const spi_node_t *a = spi_get(w->p, d->args[i]);
    if (!spi_set_meets(a->free, w->wanted)) {
      continue;
    }
    uint64_t skeleton =
        a->sort == SP_SORT_REAL ? sp_skeleton(w->p, d->args[i]) : 0;
    child c = {skeleton, hash_arg(w, d, i), d->args[i]};
    uint32_t j = n++;
    for (; j > 0 && child_before(&c, &v[j - 1]); j--) {
      v[j] = v[j - 1];
    }
    v[j] = c;
  }
  for (uint32_t i = 0; i < n; i++) {
    walk_term(w, v[i].e);
  }
  sp_scratch_release(w->p->ctx, mark);
}

static void walk_term(walk *w, sp_expr e) {
  const spi_node_t *d = spi_get(w->p, e);
  if (w->n == w->wanted->n || !spi_set_meets(d->free, w->wanted) ||
      spi_memo_get(w->seen, e).v) {
    return;
  }
  spi_memo_put(w->p, w->seen, e, e);
  if (d->kind == SP_KIND_VAR) {
    w->out[w->n++] = e;
  } else if (commutes((sp_kind)d->kind)) {
    walk_sorted(w, d, 0);
  } else if (d->kind == SP_KIND_RED) {
    walk_term(w, d->args[d->n - 1]);
  } else if (d->kind == SP_KIND_ITE) {
    walk_term(w, d->args[0]);
    walk_sorted(w, d, 1);
  } else {
    for (uint32_t i = 0; i < d->n; i++) {
      walk_term(w, d->args[i]);
    }
  }
}

static uint32_t body_hash(walk *w, sp_expr body) {
  w->hashes = spi_memo_open(w->p);
  uint32_t h = hash_of(w, body);
  spi_memo_close(w->p, w->hashes);
  return h;
}

void spi_first_use(sp_pool *p, uint32_t n, sp_expr *vars, sp_expr body) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  walk w = {.p = p, .wanted = spi_set_of(p, n, vars)};
  uint32_t *signature = sp_scratch(p->ctx, n * sizeof *signature);
  for (uint32_t i = 0; i < n; i++) {
    w.marked = w.wanted->v[i];
    signature[i] = body_hash(&w, body);
  }
  w.signature = signature;
  w.out = sp_scratch(p->ctx, n * sizeof *w.out);
  w.hashes = spi_memo_open(p);
  w.seen = spi_memo_open(p);
  walk_term(&w, body);
  spi_memo_close(p, w.seen);
  spi_memo_close(p, w.hashes);
  /* unused ones (of a PROD) last, as given */
  for (uint32_t i = 0; i < n; i++) {
    if (!spi_set_has(spi_get(p, body)->free, vars[i])) {
      w.out[w.n++] = vars[i];
    }
  }
  assert(w.n == n);
  memcpy(vars, w.out, n * sizeof *vars);
  sp_scratch_release(p->ctx, mark);
}
