/* red_order.c: in which order a reduction lists its bound variables: that of
 * their first use in a walk of the body. Arguments of commutative nodes are
 * stored by age of their ids, and fresh variables are as old as the moment; so
 * the walk takes them by a hash that is blind to fresh and bound variables.
 */
#include "encode/real.h"

typedef struct walk {
  sp_pool *p;
  const spi_set *wanted;
  spi_memo *blind, *seen;
  sp_expr *out;
  uint32_t n;
} walk;

static uint32_t mix(uint32_t h, uint64_t v) {
  uint64_t x = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
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

static uint32_t blind_hash(walk *w, sp_expr e);

/* The argument with its coefficient. */
static uint32_t blind_arg(walk *w, const spi_node_t *d, uint32_t i) {
  uint32_t h = blind_hash(w, d->args[i]);
  if (d->kind == SP_KIND_LIN) {
    return mix(h, (uint64_t)d->coefs.lin[i]);
  }
  return d->kind == SP_KIND_ADD ? mix(h, d->coefs.add[i].v) : h;
}

static uint32_t blind_node(walk *w, const spi_node_t *d) {
  uint32_t h = mix((uint32_t)d->kind * 8 + d->sort, (uint64_t)d->payload);
  if (d->kind == SP_KIND_RED) {
    return mix(h, blind_hash(w, d->args[d->n - 1]));
  }
  for (uint32_t i = 0; i < d->n; i++) {
    uint32_t a = blind_arg(w, d, i);
    h = commutes((sp_kind)d->kind) ? h + mix(17, a) : mix(h, a);
  }
  return h;
}

static uint32_t blind_hash(walk *w, sp_expr e) {
  const spi_node_t *d = spi_get(w->p, e);
  if (d->kind == SP_KIND_VAR) {
    return is_renamed(w->p, e)
               ? mix(3, (uint64_t)sp_var_extent(w->p, e))
               : mix(5, e.v);
  }
  bool renamed = false;
  for (uint32_t i = 0; i < d->free->n && !renamed; i++) {
    renamed = is_renamed(w->p, d->free->v[i]);
  }
  if (!renamed) {
    return mix(7, e.v);
  }
  sp_expr known = spi_memo_get(w->blind, e);
  if (!known.v) {
    known.v = blind_node(w, d) | 1;
    spi_memo_put(w->p, w->blind, e, known);
  }
  return known.v;
}

typedef struct child {
  uint32_t hash;
  sp_expr e;
} child;

static void walk_term(walk *w, sp_expr e);

static void walk_commutative(walk *w, const spi_node_t *d) {
  sp_mark mark = sp_scratch_mark(w->p->ctx);
  child *v = sp_scratch(w->p->ctx, d->n * sizeof *v);
  uint32_t n = 0;
  for (uint32_t i = 0; i < d->n; i++) {
    if (!spi_set_meets(spi_get(w->p, d->args[i])->free, w->wanted)) {
      continue;
    }
    child c = {blind_arg(w, d, i), d->args[i]};
    uint32_t j = n++;
    for (; j > 0 && v[j - 1].hash > c.hash; j--) {
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
    walk_commutative(w, d);
  } else if (d->kind == SP_KIND_RED) {
    walk_term(w, d->args[d->n - 1]);
  } else {
    for (uint32_t i = 0; i < d->n; i++) {
      walk_term(w, d->args[i]);
    }
  }
}

void spi_first_use(sp_pool *p, uint32_t n, sp_expr *vars, sp_expr body) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  walk w = {.p = p,
            .wanted = spi_set_of(p, n, vars),
            .blind = spi_memo_open(p),
            .seen = spi_memo_open(p),
            .out = sp_scratch(p->ctx, n * sizeof(sp_expr))};
  walk_term(&w, body);
  /* unused ones (of a PROD) last, as given */
  for (uint32_t i = 0; i < n; i++) {
    if (!spi_set_has(spi_get(p, body)->free, vars[i])) {
      w.out[w.n++] = vars[i];
    }
  }
  assert(w.n == n);
  memcpy(vars, w.out, n * sizeof *vars);
  spi_memo_close(p, w.seen);
  spi_memo_close(p, w.blind);
  sp_scratch_release(p->ctx, mark);
}
