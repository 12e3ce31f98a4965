/* template.c: read spi_cut_red, then visit. The walk is in prefix order over
 * an explicit stack; an item is a term, or a hole that was decided on when its
 * parent was visited.
 *
 * "Open" means: mentions a variable whose binder the walk has passed. As every
 * binder around a sub-term is passed before it, and names are shared only by
 * binders that are not nested, open is the same as not closed.
 */
#include "encode/template.h"

enum {
  TREE_LIMIT = 4096, /* items before shared sub-terms are written once */
  /* words that are no node kind */
  WORD_TREE = 1000,
  WORD_DAG,
  WORD_HOLE,
  WORD_AGAIN,
};

typedef struct item {
  sp_expr e; /* 0: the hole */
  bool atom; /* INT term below a sum: not to be wrapped in one */
  spi_hole hole;
} item;

typedef struct spi_cutting {
  SP_VEC(item) stack;
  SP_VEC(uint32_t) open, shut; /* positions of arguments of one node */
  /* by term id, valid where the epoch is the present one */
  uint32_t *bound_epoch, *bound_number;
  uint32_t *seen_epoch, *seen_number;
  size_t n_ids;
  uint32_t epoch, n_bound, n_seen;
  size_t visits;
  bool dag;
} spi_cutting;

spi_cutter *spi_cutter_new(sp_pool *p, spi_order *order) {
  spi_cutter *c = sp_alloc(p->ctx, sizeof *c);
  c->p = p;
  c->order = order;
  c->work = sp_alloc(p->ctx, sizeof *c->work);
  return c;
}

void spi_cutter_clear(spi_cutter *c) {
  c->words.n = 0;
  c->holes.n = 0;
  c->picks.n = 0;
}

static void new_epoch(spi_cutter *c) {
  spi_cutting *w = c->work;
  if (c->p->n > w->n_ids || w->epoch == UINT32_MAX) {
    size_t n = w->n_ids == 0 ? 1024 : w->n_ids;
    while (n < c->p->n)
      n *= 2;
    w->bound_epoch = sp_alloc_n(c->p->ctx, n, sizeof(uint32_t));
    w->bound_number = sp_alloc_n(c->p->ctx, n, sizeof(uint32_t));
    w->seen_epoch = sp_alloc_n(c->p->ctx, n, sizeof(uint32_t));
    w->seen_number = sp_alloc_n(c->p->ctx, n, sizeof(uint32_t));
    w->n_ids = n;
    w->epoch = 0;
  }
  w->epoch++;
  w->n_bound = 0;
  w->n_seen = 0;
  w->visits = 0;
  w->stack.n = 0;
}

static bool is_open(const spi_cutter *c, sp_expr e) {
  const spi_cutting *w = c->work;
  const spi_set *free = spi_get(c->p, e)->free;
  for (uint32_t i = 0; i < free->n; i++)
    if (w->bound_epoch[free->v[i].v] == w->epoch)
      return true;
  return false;
}

static void put(spi_cutter *c, uint32_t word) {
  sp_push(c->p->ctx, &c->words, word);
}

static void put64(spi_cutter *c, int64_t x) {
  put(c, (uint32_t)(uint64_t)x);
  put(c, (uint32_t)((uint64_t)x >> 32));
}

static void later(spi_cutter *c, sp_expr e, bool atom) {
  sp_push(c->p->ctx, &c->work->stack, ((item){.e = e, .atom = atom}));
}

static void hole_later(spi_cutter *c, spi_hole_kind kind, sp_expr node,
                       uint32_t first, uint32_t n) {
  item it = {.hole = {.kind = kind, .node = node, .first = first, .n = n}};
  sp_push(c->p->ctx, &c->work->stack, it);
}

/* Splits the arguments of a commutative node into open and shut ones, the
 * open ones in the order of likeness. */
static void split(spi_cutter *c, sp_expr e) {
  spi_cutting *w = c->work;
  const spi_node_t *d = spi_get(c->p, e);
  w->open.n = 0;
  w->shut.n = 0;
  for (uint32_t i = 0; i < d->n; i++) {
    if (is_open(c, d->args[i]))
      sp_push(c->p->ctx, &w->open, i);
    else
      sp_push(c->p->ctx, &w->shut, i);
  }
  spi_order_sort(c->order, e, (uint32_t)w->open.n, w->open.v);
  spi_order_sort(c->order, e, (uint32_t)w->shut.n, w->shut.v);
}

/* Sums, products, max, min, or: [coefficients], hole?, open arguments. The
 * stack is last in, first out, so the hole comes first when pushed last. */
static void visit_commutative(spi_cutter *c, sp_expr e) {
  spi_cutting *w = c->work;
  const spi_node_t *d = spi_get(c->p, e);
  split(c, e);
  bool index = d->kind == SP_KIND_LIN;
  bool hole = index || w->shut.n > 0;
  put(c, (uint32_t)w->open.n);
  put(c, hole);
  if (d->kind == SP_KIND_ADD && !hole)
    put64(c, d->payload);
  for (size_t i = 0; i < w->open.n; i++) {
    if (index)
      put64(c, d->coefs.lin[w->open.v[i]]);
    if (d->kind == SP_KIND_ADD)
      put(c, d->coefs.add[w->open.v[i]].v);
  }
  for (size_t i = w->open.n; i-- > 0;)
    later(c, d->args[w->open.v[i]], index);
  if (!hole)
    return;
  uint32_t first = (uint32_t)c->picks.n;
  for (size_t i = 0; i < w->shut.n; i++)
    sp_push(c->p->ctx, &c->picks, w->shut.v[i]);
  hole_later(c, SPI_HOLE_PART, e, first, (uint32_t)w->shut.n);
}

static void visit_binder(spi_cutter *c, sp_expr e) {
  spi_cutting *w = c->work;
  const spi_node_t *d = spi_get(c->p, e);
  put64(c, d->payload);
  put(c, d->n - 1);
  for (uint32_t i = 0; i + 1 < d->n; i++) {
    sp_expr v = d->args[i];
    if (w->bound_epoch[v.v] != w->epoch) {
      w->bound_epoch[v.v] = w->epoch;
      w->bound_number[v.v] = w->n_bound++;
    }
    put(c, w->bound_number[v.v]);
    put64(c, spi_var_of(c->p, v)->extent);
  }
  later(c, d->args[d->n - 1], false);
}

/* A node that is open, or the root. */
static void visit_node(spi_cutter *c, sp_expr e) {
  spi_cutting *w = c->work;
  const spi_node_t *d = spi_get(c->p, e);
  if (w->dag && d->kind != SP_KIND_VAR) {
    if (w->seen_epoch[e.v] == w->epoch) {
      put(c, WORD_AGAIN);
      put(c, w->seen_number[e.v]);
      return;
    }
    w->seen_epoch[e.v] = w->epoch;
    w->seen_number[e.v] = w->n_seen++;
  }
  put(c, (uint32_t)d->kind | (uint32_t)d->sort << 8);
  switch ((sp_kind)d->kind) {
  case SP_KIND_VAR:
    put(c, w->bound_number[e.v]);
    return;
  case SP_KIND_LIN:
  case SP_KIND_ADD:
  case SP_KIND_MUL:
  case SP_KIND_MAX:
  case SP_KIND_MIN:
  case SP_KIND_OR:
    visit_commutative(c, e);
    return;
  case SP_KIND_RED:
    visit_binder(c, e);
    return;
  case SP_KIND_INT:
  case SP_KIND_DIV:
  case SP_KIND_MOD:
  case SP_KIND_READ:
  case SP_KIND_ITE:
  case SP_KIND_FN:
  case SP_KIND_NUM:
  case SP_KIND_INF:
  case SP_KIND_I2R:
  case SP_KIND_BOOL:
  case SP_KIND_LT0:
  case SP_KIND_EQ0:
  case SP_KIND_RLT:
  case SP_KIND_REQ:
  case SP_KIND_NOT:
    break;
  }
  put64(c, d->payload); /* divisor, symbol, function, constant, or 0 */
  put(c, d->n);
  uint32_t sides[2] = {0, 1}; /* of an equation: in the order of likeness */
  if (d->kind == SP_KIND_REQ)
    spi_order_sort(c->order, e, 2, sides);
  for (uint32_t i = d->n; i-- > 0;)
    later(c, d->args[d->kind == SP_KIND_REQ ? sides[i] : i], false);
}

static void visit(spi_cutter *c, item it) {
  if (it.e.v == 0) {
    sp_sort sort = it.hole.kind == SPI_HOLE_ZERO
                       ? SP_SORT_INT
                       : (sp_sort)spi_get(c->p, it.hole.node)->sort;
    put(c, WORD_HOLE);
    put(c, (uint32_t)sort);
    sp_push(c->p->ctx, &c->holes, it.hole);
    return;
  }
  sp_kind kind = spi_kind(c->p, it.e);
  bool literal =
      kind == SP_KIND_NUM || kind == SP_KIND_INF || kind == SP_KIND_BOOL;
  if (!literal && !is_open(c, it.e)) {
    hole_later(c, SPI_HOLE_TERM, it.e, 0, 0);
    return;
  }
  bool index = spi_get(c->p, it.e)->sort == SP_SORT_INT;
  if (!index || it.atom || kind == SP_KIND_LIN) {
    visit_node(c, it.e);
    return;
  }
  /* k alone is written as the sum 0 + 1 * k */
  put(c, (uint32_t)SP_KIND_LIN | (uint32_t)SP_SORT_INT << 8);
  put(c, 1);
  put(c, true);
  put64(c, 1);
  later(c, it.e, true);
  hole_later(c, SPI_HOLE_ZERO, (sp_expr){0}, 0, 0);
}

/* False when it gave up because the tree is large. */
static bool walk(spi_cutter *c, sp_expr red, bool dag) {
  spi_cutting *w = c->work;
  new_epoch(c);
  w->dag = dag;
  put(c, dag ? WORD_DAG : WORD_TREE);
  put(c, (uint32_t)spi_get(c->p, red)->sort);
  visit_node(c, red);
  while (w->stack.n > 0) {
    if (!dag && ++w->visits > TREE_LIMIT)
      return false;
    visit(c, w->stack.v[--w->stack.n]);
  }
  return true;
}

spi_cut spi_cut_red(spi_cutter *c, sp_expr red) {
  size_t word = c->words.n, hole = c->holes.n, pick = c->picks.n;
  if (!walk(c, red, false)) {
    c->words.n = word;
    c->holes.n = hole;
    c->picks.n = pick;
    walk(c, red, true);
  }
  return (spi_cut){.word = (uint32_t)word,
                   .n_words = (uint32_t)(c->words.n - word),
                   .hole = (uint32_t)hole,
                   .n_holes = (uint32_t)(c->holes.n - hole)};
}
