/* order.c: read likeness_of: two hashes of a term, without and with the
 * identity of its symbols. Recursion is bounded by SPI_MAX_DEPTH.
 */
#include "encode/order.h"

#include <stdlib.h>
#include <xxhash.h>

/* Two hashes; 0 in the first: not computed yet. */
typedef struct likeness {
  uint64_t shape; /* symbols count as their sorts and extents */
  uint64_t name;  /* symbols count as themselves */
} likeness;

struct spi_order {
  sp_pool *p;
  likeness *of; /* by term id */
  size_t n_of;
};

spi_order *spi_order_new(sp_pool *p) {
  spi_order *o = sp_alloc(p->ctx, sizeof *o);
  o->p = p;
  return o;
}

static likeness *slot(spi_order *o, sp_expr e) {
  if (e.v >= o->n_of) {
    size_t n = o->n_of == 0 ? 1024 : o->n_of;
    while (n <= e.v)
      n *= 2;
    likeness *of = sp_alloc_n(o->p->ctx, n, sizeof *of);
    if (o->n_of > 0)
      memcpy(of, o->of, o->n_of * sizeof *of);
    o->of = of;
    o->n_of = n;
  }
  return &o->of[e.v];
}

static uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

static void mix_both(likeness *l, uint64_t x) {
  l->shape = mix(l->shape, x);
  l->name = mix(l->name, x);
}

static bool mentions_bound(const sp_pool *p, sp_expr e) {
  const spi_set *free = spi_get(p, e)->free;
  for (uint32_t i = 0; i < free->n; i++)
    if (spi_var_of(p, free->v[i])->cls == SP_VAR_BOUND)
      return true;
  return false;
}

static likeness own(const sp_pool *p, sp_expr e) {
  const spi_node_t *d = spi_get(p, e);
  likeness l = {1, 1};
  mix_both(&l, (uint64_t)d->kind << 8 | d->sort);
  switch ((sp_kind)d->kind) {
  case SP_KIND_VAR:
    mix_both(&l, (uint64_t)spi_var_of(p, e)->extent);
    l.name = mix(l.name, e.v);
    break;
  case SP_KIND_DIV:
  case SP_KIND_MOD:
  case SP_KIND_INF:
  case SP_KIND_BOOL:
    mix_both(&l, (uint64_t)d->payload);
    break;
  case SP_KIND_READ: {
    const spi_sym *s = spi_sym_of(p, sp_read_sym(p, e));
    mix_both(&l, s->is_table);
    for (uint32_t i = 0; i < s->n_args; i++)
      mix_both(&l, (uint64_t)s->extents[i]);
    l.name = mix(l.name, sp_read_sym(p, e).v);
    break;
  }
  case SP_KIND_FN: {
    const char *name = sp_fn_name(p, e);
    mix_both(&l, XXH3_64bits(name, strlen(name)));
    break;
  }
  case SP_KIND_RED:
    mix_both(&l, (uint64_t)sp_red_op_of(p, e));
    for (uint32_t i = 0; i + 1 < d->n; i++)
      mix_both(&l, (uint64_t)spi_var_of(p, d->args[i])->extent);
    break;
  case SP_KIND_NUM:
  case SP_KIND_ADD:
    l.name = mix(l.name, (uint64_t)d->payload);
    break;
  case SP_KIND_INT:
  case SP_KIND_LIN: /* its constant is an index, and closed */
  case SP_KIND_ITE:
  case SP_KIND_MAX:
  case SP_KIND_MIN:
  case SP_KIND_MUL:
  case SP_KIND_I2R:
  case SP_KIND_LT0:
  case SP_KIND_EQ0:
  case SP_KIND_RLT:
  case SP_KIND_REQ:
  case SP_KIND_NOT:
  case SP_KIND_OR:
    break;
  }
  return l;
}

bool spi_commutes(sp_kind k) {
  return k == SP_KIND_LIN || k == SP_KIND_ADD || k == SP_KIND_MUL ||
         k == SP_KIND_MAX || k == SP_KIND_MIN || k == SP_KIND_OR ||
         k == SP_KIND_REQ;
}

static uint64_t coef_of(const spi_node_t *d, uint32_t i) {
  if (d->kind == SP_KIND_LIN)
    return (uint64_t)d->coefs.lin[i];
  if (d->kind == SP_KIND_ADD)
    return d->coefs.add[i].v;
  return 1;
}

static likeness likeness_of(spi_order *o, sp_expr e) {
  likeness known = *slot(o, e);
  if (known.shape != 0)
    return known;
  const sp_pool *p = o->p;
  const spi_node_t *d = spi_get(p, e);
  likeness l = {7, 7};
  if (d->sort != SP_SORT_INT || mentions_bound(p, e)) {
    l = own(p, e);
    likeness sum = {0, 0};
    bool any_order = spi_commutes((sp_kind)d->kind);
    uint32_t first = d->kind == SP_KIND_RED ? d->n - 1 : 0;
    for (uint32_t i = first; i < d->n; i++) {
      likeness arg = likeness_of(o, d->args[i]);
      uint64_t coef = coef_of(d, i);
      if (any_order) {
        sum.shape += mix(arg.shape, d->kind == SP_KIND_ADD ? 1 : coef);
        sum.name += mix(arg.name, coef);
      } else {
        l.shape = mix(l.shape, arg.shape);
        l.name = mix(l.name, arg.name);
      }
    }
    l.shape = mix(l.shape, sum.shape);
    l.name = mix(l.name, sum.name);
  }
  if (l.shape == 0)
    l.shape = 1;
  *slot(o, e) = l;
  return l;
}

typedef struct place {
  likeness like;
  uint32_t age, at;
} place;

static int by_likeness(const void *left, const void *right) {
  const place *a = left, *b = right;
  if (a->like.shape != b->like.shape)
    return a->like.shape < b->like.shape ? -1 : 1;
  if (a->like.name != b->like.name)
    return a->like.name < b->like.name ? -1 : 1;
  if (a->age != b->age)
    return a->age < b->age ? -1 : 1;
  return a->at < b->at ? -1 : a->at > b->at;
}

void spi_order_sort(spi_order *o, sp_expr e, uint32_t n, uint32_t *perm) {
  if (n < 2)
    return;
  sp_ctx *ctx = o->p->ctx;
  sp_mark mark = sp_scratch_mark(ctx);
  place *places = sp_scratch(ctx, n * sizeof *places);
  for (uint32_t i = 0; i < n; i++) {
    sp_expr arg = sp_arg(o->p, e, perm[i]);
    places[i] = (place){likeness_of(o, arg), arg.v, perm[i]};
  }
  qsort(places, n, sizeof *places, by_likeness);
  for (uint32_t i = 0; i < n; i++)
    perm[i] = places[i].at;
  sp_scratch_release(ctx, mark);
}
