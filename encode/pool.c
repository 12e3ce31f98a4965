/* pool.c: read spi_node (interning); the rest is tables and accessors. Sets of
 * free variables: set.c. */
#include "encode/pool.h"

#include "encode/real.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { UNIQUE_START = 1024, MEMO_START = 64 };

/* ---- interning ---- */

static void unique_grow(sp_pool *p) {
  uint32_t mask = p->unique_mask * 2 + 1;
  uint32_t *v = sp_alloc_n(p->ctx, (size_t)mask + 1, sizeof *v);
  for (uint32_t id = 1; id < p->n; id++) {
    uint32_t at = spi_get(p, (sp_expr){id})->hash & mask;
    while (v[at]) {
      at = (at + 1) & mask;
    }
    v[at] = id;
  }
  p->unique = v;
  p->unique_mask = mask;
}

static size_t coef_bytes(sp_kind kind, uint32_t n) {
  switch ((int)kind) {
  case SP_KIND_LIN:
    return n * sizeof(int64_t);
  case SP_KIND_ADD:
    return n * sizeof(sp_num);
  default:
    return 0;
  }
}

static bool node_is(const spi_node_t *d, sp_kind kind, sp_sort sort,
                    int64_t payload, uint32_t n, const sp_expr *args,
                    const void *coefs) {
  if (d->kind != kind || d->sort != sort || d->payload != payload ||
      d->n != n || (n && memcmp(d->args, args, n * sizeof *args) != 0)) {
    return false;
  }
  size_t bytes = coef_bytes(kind, n);
  return bytes == 0 || memcmp(d->coefs.lin, coefs, bytes) == 0;
}

static bool kind_narrowable(sp_kind kind, sp_sort sort) {
  if (sort == SP_SORT_BOOL) {
    return kind != SP_KIND_BOOL;
  }
  switch ((int)kind) {
  case SP_KIND_DIV:
  case SP_KIND_MOD:
  case SP_KIND_ITE:
    return true;
  case SP_KIND_MAX:
  case SP_KIND_MIN:
  case SP_KIND_FN:
    return sort == SP_SORT_INT;
  default:
    return false;
  }
}

/* Facts that follow from the arguments. */
static void node_facts(sp_pool *p, spi_node_t *d, sp_expr self) {
  const spi_set *free = p->empty;
  unsigned flags = 0;
  for (uint32_t i = 0; i < d->n; i++) {
    const spi_node_t *a = spi_get(p, d->args[i]);
    free = spi_set_union(p, free, a->free);
    flags |=
        a->flags & (SPI_HAS_RED | SPI_HAS_READ | SPI_NARROWABLE | SPI_HAS_INF);
    d->height = a->height > d->height ? a->height : d->height;
    d->depth = a->depth > d->depth ? a->depth : d->depth;
  }
  d->depth++;
  if (kind_narrowable((sp_kind)d->kind, (sp_sort)d->sort)) {
    flags |= SPI_NARROWABLE;
  }
  if (d->kind == SP_KIND_VAR) {
    free = spi_set_of(p, 1, &self);
  } else if (d->kind == SP_KIND_INF) {
    flags |= SPI_HAS_INF;
  } else if (d->kind == SP_KIND_FN) {
    bool log = p->reals && d->payload == p->reals->log; /* of 0: -inf */
    flags |= log ? SPI_HAS_INF : 0;
  } else if (d->kind == SP_KIND_READ) {
    bool table = p->syms.v[d->payload].is_table;
    flags |= table ? SPI_NARROWABLE : SPI_HAS_READ;
  } else if (d->kind == SP_KIND_RED) {
    flags |= SPI_HAS_RED;
    d->height++;
    free = spi_set_minus(p, free, spi_set_of(p, d->n - 1, d->args));
  }
  d->free = free;
  d->flags = (uint8_t)flags;
}

static spi_node_t *node_room(sp_pool *p) {
  if (p->n == UINT32_MAX - 1) {
    sp_raise(p->ctx, SP_ERR_LIMIT, sp_nowhere(), NULL, "too many terms");
  }
  if (p->n / SPI_PAGE == p->pages.n) {
    spi_node_t *page = sp_alloc_n(p->ctx, SPI_PAGE, sizeof *page);
    sp_push(p->ctx, &p->pages, page);
  }
  return &p->pages.v[p->n / SPI_PAGE][p->n % SPI_PAGE];
}

static sp_expr node_new(sp_pool *p, spi_node_t proto, const void *coefs) {
  spi_node_t *d = node_room(p);
  size_t bytes = coef_bytes((sp_kind)proto.kind, proto.n);
  if (proto.n) {
    /* coefficients first: they are the wider ones */
    char *room = sp_alloc(p->ctx, bytes + proto.n * sizeof *proto.args);
    if (bytes) {
      memcpy(room, coefs, bytes);
      proto.coefs.lin = (const int64_t *)(void *)room;
    }
    memcpy(room + bytes, proto.args, proto.n * sizeof *proto.args);
    proto.args = (const sp_expr *)(void *)(room + bytes);
  }
  sp_expr self = {p->n};
  node_facts(p, &proto, self);
  if (proto.depth > SPI_MAX_DEPTH) {
    sp_raise(p->ctx, SP_ERR_LIMIT, sp_nowhere(), NULL,
             "a term nests more than %d levels deep", (int)SPI_MAX_DEPTH);
  }
  *d = proto;
  p->n++;
  return self;
}

sp_expr spi_node(sp_pool *p, sp_kind kind, sp_sort sort, int64_t payload,
                 uint32_t n, const sp_expr *args, const void *coefs) {
  uint64_t h = (uint64_t)payload * UINT64_C(0x9e3779b97f4a7c15) +
               (uint64_t)kind * 8 + (uint64_t)sort;
  h = XXH3_64bits_withSeed(args, n * sizeof *args, h);
  size_t bytes = coef_bytes(kind, n);
  if (bytes) {
    h = XXH3_64bits_withSeed(coefs, bytes, h);
  }
  uint32_t hash = (uint32_t)(h ^ h >> 32);
  if (p->n > p->unique_mask / 2) {
    unique_grow(p);
  }
  uint32_t at = hash & p->unique_mask;
  for (; p->unique[at]; at = (at + 1) & p->unique_mask) {
    const spi_node_t *d = spi_get(p, (sp_expr){p->unique[at]});
    if (d->hash == hash && node_is(d, kind, sort, payload, n, args, coefs)) {
      return (sp_expr){p->unique[at]};
    }
  }
  spi_node_t proto = {.kind = (uint8_t)kind,
                      .sort = (uint8_t)sort,
                      .n = n,
                      .hash = hash,
                      .payload = payload,
                      .args = args};
  sp_expr e = node_new(p, proto, coefs);
  p->unique[at] = e.v;
  return e;
}

/* ---- the pool ---- */

sp_pool *sp_pool_new(sp_ctx *ctx) {
  sp_pool *p = sp_alloc(ctx, sizeof *p);
  p->ctx = ctx;
  p->n = 1;
  p->unique_mask = UNIQUE_START - 1;
  p->unique = sp_alloc_n(ctx, UNIQUE_START, sizeof *p->unique);
  spi_sets_start(p);
  sp_push(ctx, &p->syms, (spi_sym){0});
  sp_expr f = spi_node(p, SP_KIND_BOOL, SP_SORT_BOOL, 0, 0, NULL, NULL);
  sp_expr t = spi_node(p, SP_KIND_BOOL, SP_SORT_BOOL, 1, 0, NULL, NULL);
  assert(spi_same(f, SPI_FALSE) && spi_same(t, SPI_TRUE));
  (void)f;
  (void)t;
  spi_nums_init(p);
  return p;
}

sp_ctx *sp_pool_ctx(const sp_pool *p) {
  return p->ctx;
}

sp_mode sp_pool_mode(sp_pool *p, sp_mode mode) {
  sp_mode was = p->raw_values ? (p->raw ? SP_MODE_RAW : SP_MODE_NUMBERS)
                : p->raw      ? SP_MODE_RAW_INDEX
                              : SP_MODE_NORMAL;
  p->raw = mode == SP_MODE_RAW || mode == SP_MODE_RAW_INDEX;
  p->raw_values = mode == SP_MODE_RAW || mode == SP_MODE_NUMBERS;
  return was;
}

bool sp_pool_raw(sp_pool *p, bool raw) {
  return sp_pool_mode(p, raw ? SP_MODE_RAW : SP_MODE_NORMAL) != SP_MODE_NORMAL;
}

bool sp_pool_has_nan(const sp_pool *p) {
  return p->raw_values;
}

size_t sp_pool_size(const sp_pool *p) {
  return p->n - 1;
}

void spi_overflow(sp_pool *p) {
  sp_raise(p->ctx, SP_ERR_LIMIT, sp_nowhere(), NULL,
           "index arithmetic exceeds 64 bits");
}

int64_t spi_add64(sp_pool *p, int64_t a, int64_t b) {
  int64_t r;
  if (!sp_add_ok(a, b, &r)) {
    spi_overflow(p);
  }
  return r;
}

int64_t spi_mul64(sp_pool *p, int64_t a, int64_t b) {
  int64_t r;
  if (!sp_mul_ok(a, b, &r)) {
    spi_overflow(p);
  }
  return r;
}

typedef struct guard {
  sp_pool *p;
  void (*fn)(sp_pool *p, void *arg);
  void *arg;
} guard;

static void guard_run(sp_ctx *ctx, void *arg) {
  (void)ctx;
  guard *g = arg;
  g->fn(g->p, g->arg);
}

void spi_guard(sp_pool *p, void (*fn)(sp_pool *p, void *arg), void *arg) {
  if (p->guarded) { /* the outer one will put things back */
    fn(p, arg);
    return;
  }
  bool raw = p->raw, raw_values = p->raw_values, fitting = p->fitting;
  uint32_t range_work = p->range_work;
  size_t facts = p->facts.n, facts_from = p->facts_from;
  guard g = {p, fn, arg};
  p->guarded = true;
  sp_code code = sp_protect(p->ctx, guard_run, &g);
  p->guarded = false;
  if (code != SP_OK) {
    p->raw = raw;
    p->raw_values = raw_values;
    p->fitting = fitting;
    p->range_work = range_work;
    p->facts.n = facts;
    p->facts_from = facts_from;
    sp_error e = *sp_ctx_error(p->ctx);
    sp_raise(p->ctx, e.code, e.loc, e.hint, "%s", e.message);
  }
}

/* ---- memo tables ---- */

spi_memo *spi_memo_open(sp_pool *p) {
  spi_memo *m = p->memos;
  if (m) {
    p->memos = m->next;
  } else {
    m = sp_alloc(p->ctx, sizeof *m);
    m->cap = MEMO_START;
    m->slot = sp_alloc_n(p->ctx, m->cap, sizeof *m->slot);
  }
  m->n = 0;
  if (++m->epoch == 0) {
    memset(m->slot, 0, m->cap * sizeof *m->slot);
    m->epoch = 1;
  }
  return m;
}

void spi_memo_close(sp_pool *p, spi_memo *m) {
  m->next = p->memos;
  p->memos = m;
}

static spi_memo_slot *memo_slot(const spi_memo *m, uint32_t key) {
  uint32_t at = key * 0x9e3779b1u;
  at = (at ^ at >> 15) & (m->cap - 1);
  while (m->slot[at].epoch == m->epoch && m->slot[at].key != key) {
    at = (at + 1) & (m->cap - 1);
  }
  return &m->slot[at];
}

sp_expr spi_memo_get(const spi_memo *m, sp_expr key) {
  const spi_memo_slot *s = memo_slot(m, key.v);
  return (sp_expr){s->epoch == m->epoch ? s->value : 0};
}

static void memo_grow(sp_pool *p, spi_memo *m) {
  spi_memo old = *m;
  m->cap *= 2;
  m->slot = sp_alloc_n(p->ctx, m->cap, sizeof *m->slot);
  for (uint32_t i = 0; i < old.cap; i++) {
    if (old.slot[i].epoch == m->epoch) {
      *memo_slot(m, old.slot[i].key) = old.slot[i];
    }
  }
}

void spi_memo_put(sp_pool *p, spi_memo *m, sp_expr key, sp_expr value) {
  if (m->n * 2 >= m->cap) {
    memo_grow(p, m);
  }
  spi_memo_slot *s = memo_slot(m, key.v);
  m->n += s->epoch != m->epoch;
  *s = (spi_memo_slot){m->epoch, key.v, value.v};
}

/* ---- variables ---- */

static sp_expr var_new(sp_pool *p, spi_var v) {
  int64_t at = (int64_t)p->vars.n;
  v.term = (sp_expr){0};
  sp_push(p->ctx, &p->vars, v);
  sp_expr e = spi_node(p, SP_KIND_VAR, SP_SORT_INT, at, 0, NULL, NULL);
  p->vars.v[at].term = e;
  return e;
}

sp_expr sp_var(sp_pool *p, sp_var_class c, const char *name, int64_t extent) {
  if (extent == 1 && !p->raw) {
    return sp_int(p, 0);
  }
  const char *text = sp_intern(p->ctx, name, strlen(name));
  return var_new(p, (spi_var){.cls = c, .name = text, .extent = extent});
}

sp_expr sp_fresh(sp_pool *p, int64_t extent) {
  const char *name = sp_format(p->ctx, "k%u", ++p->n_fresh);
  return var_new(
      p, (spi_var){.cls = SP_VAR_FRESH, .name = name, .extent = extent});
}

sp_expr spi_bound_var(sp_pool *p, uint32_t height, uint32_t position,
                      int64_t extent) {
  for (size_t i = 0; i < p->bound.n; i++) {
    const spi_var *v = &p->vars.v[p->bound.v[i]];
    if (v->height == height && v->position == position && v->extent == extent) {
      return v->term;
    }
  }
  const char *name = sp_format(p->ctx, "b%u.%u", height, position);
  sp_push(p->ctx, &p->bound, (uint32_t)p->vars.n);
  return var_new(p, (spi_var){.cls = SP_VAR_BOUND,
                              .name = name,
                              .extent = extent,
                              .height = height,
                              .position = position});
}

const spi_var *spi_var_of(const sp_pool *p, sp_expr v) {
  const spi_node_t *d = spi_get(p, v);
  assert(d->kind == SP_KIND_VAR);
  return &p->vars.v[d->payload];
}

int64_t sp_var_extent(const sp_pool *p, sp_expr v) {
  return spi_var_of(p, v)->extent;
}

sp_var_class sp_var_class_of(const sp_pool *p, sp_expr v) {
  return spi_var_of(p, v)->cls;
}

const char *sp_var_name(const sp_pool *p, sp_expr v) {
  return spi_var_of(p, v)->name;
}

/* ---- symbols and function names ---- */

sp_sym sp_sym_new(sp_pool *p, const char *name, sp_sort sort, uint32_t n_args,
                  const int64_t *extents) {
  int64_t *own = sp_alloc_n(p->ctx, n_args, sizeof *own);
  if (n_args) {
    memcpy(own, extents, n_args * sizeof *own);
  }
  spi_sym s = {.name = sp_intern(p->ctx, name, strlen(name)),
               .sort = sort,
               .n_args = n_args,
               .extents = own,
               .lo = INT64_MIN,
               .hi = INT64_MAX};
  sp_push(p->ctx, &p->syms, s);
  return (sp_sym){(uint32_t)p->syms.n - 1};
}

const spi_sym *spi_sym_of(const sp_pool *p, sp_sym s) {
  assert(s.v > 0 && s.v < p->syms.n);
  return &p->syms.v[s.v];
}

const char *sp_sym_name(const sp_pool *p, sp_sym s) {
  return spi_sym_of(p, s)->name;
}

sp_sort sp_sym_sort(const sp_pool *p, sp_sym s) {
  return spi_sym_of(p, s)->sort;
}

uint32_t sp_sym_n_args(const sp_pool *p, sp_sym s) {
  return spi_sym_of(p, s)->n_args;
}

const int64_t *sp_sym_extents(const sp_pool *p, sp_sym s) {
  return spi_sym_of(p, s)->extents;
}

bool sp_sym_is_table(const sp_pool *p, sp_sym s) {
  return spi_sym_of(p, s)->is_table;
}

bool sp_sym_range(const sp_pool *p, sp_sym s, int64_t *lo, int64_t *hi) {
  const spi_sym *d = spi_sym_of(p, s);
  *lo = d->lo;
  *hi = d->hi;
  return d->lo != INT64_MIN && d->hi != INT64_MAX;
}

bool sp_sym_same_facts(const sp_pool *p, sp_sym a, sp_sym b) {
  const spi_sym *x = spi_sym_of(p, a), *y = spi_sym_of(p, b);
  bool same =
      a.v == b.v ||
      (!x->is_table && !y->is_table && x->sort == y->sort &&
       x->n_args == y->n_args && x->lo == y->lo && x->hi == y->hi &&
       x->n_gaps == y->n_gaps && x->sign == y->sign && x->ends == y->ends);
  for (uint32_t i = 0; same && i < x->n_args; i++) {
    same = x->extents[i] == y->extents[i];
  }
  for (uint32_t i = 0; same && i < x->n_gaps; i++) {
    same = x->gaps[i].lo == y->gaps[i].lo && x->gaps[i].hi == y->gaps[i].hi;
  }
  return same;
}

void sp_sym_copy_facts(sp_pool *p, sp_sym s, sp_sym from) {
  const spi_sym *x = spi_sym_of(p, from);
  spi_sym *y = &p->syms.v[s.v];
  y->lo = x->lo;
  y->hi = x->hi;
  y->n_gaps = x->n_gaps;
  y->gaps = x->gaps;
  y->sign = x->sign;
  y->ends = x->ends;
}

int64_t spi_fn_id(sp_pool *p, const char *name) {
  const char *text = sp_intern(p->ctx, name, strlen(name));
  for (size_t i = 0; i < p->fns.n; i++) {
    if (p->fns.v[i] == text) {
      return (int64_t)i;
    }
  }
  sp_push(p->ctx, &p->fns, text);
  return (int64_t)p->fns.n - 1;
}

/* ---- looking at terms ---- */

sp_kind sp_kind_of(const sp_pool *p, sp_expr e) {
  return spi_kind(p, e);
}

sp_sort sp_sort_of(const sp_pool *p, sp_expr e) {
  return (sp_sort)spi_get(p, e)->sort;
}

uint32_t sp_n_args(const sp_pool *p, sp_expr e) {
  return spi_get(p, e)->n;
}

sp_expr sp_arg(const sp_pool *p, sp_expr e, uint32_t i) {
  const spi_node_t *d = spi_get(p, e);
  assert(i < d->n);
  return d->args[i];
}

static int64_t payload_of(const sp_pool *p, sp_expr e, sp_kind kind) {
  const spi_node_t *d = spi_get(p, e);
  assert(d->kind == kind);
  (void)kind;
  return d->payload;
}

int64_t sp_int_value(const sp_pool *p, sp_expr e) {
  return payload_of(p, e, SP_KIND_INT);
}

bool sp_bool_value(const sp_pool *p, sp_expr e) {
  return payload_of(p, e, SP_KIND_BOOL) != 0;
}

int64_t sp_lin_const(const sp_pool *p, sp_expr e) {
  return payload_of(p, e, SP_KIND_LIN);
}

int64_t sp_lin_coef(const sp_pool *p, sp_expr e, uint32_t i) {
  const spi_node_t *d = spi_get(p, e);
  assert(d->kind == SP_KIND_LIN && i < d->n);
  return d->coefs.lin[i];
}

int64_t sp_divisor(const sp_pool *p, sp_expr e) {
  const spi_node_t *d = spi_get(p, e);
  assert(d->kind == SP_KIND_DIV || d->kind == SP_KIND_MOD);
  return d->payload;
}

sp_sym sp_read_sym(const sp_pool *p, sp_expr e) {
  return (sp_sym){(uint32_t)payload_of(p, e, SP_KIND_READ)};
}

const char *sp_fn_name(const sp_pool *p, sp_expr e) {
  return p->fns.v[payload_of(p, e, SP_KIND_FN)];
}

sp_red_op sp_red_op_of(const sp_pool *p, sp_expr e) {
  return (sp_red_op)payload_of(p, e, SP_KIND_RED);
}

uint32_t sp_red_n_vars(const sp_pool *p, sp_expr e) {
  const spi_node_t *d = spi_get(p, e);
  assert(d->kind == SP_KIND_RED);
  return d->n - 1;
}

sp_expr sp_red_body(const sp_pool *p, sp_expr e) {
  const spi_node_t *d = spi_get(p, e);
  assert(d->kind == SP_KIND_RED);
  return d->args[d->n - 1];
}

sp_num sp_num_value(const sp_pool *p, sp_expr e) {
  return (sp_num){(uint32_t)payload_of(p, e, SP_KIND_NUM)};
}

bool sp_inf_negative(const sp_pool *p, sp_expr e) {
  return payload_of(p, e, SP_KIND_INF) != 0;
}

sp_num sp_add_const(const sp_pool *p, sp_expr e) {
  return (sp_num){(uint32_t)payload_of(p, e, SP_KIND_ADD)};
}

sp_num sp_add_coef(const sp_pool *p, sp_expr e, uint32_t i) {
  const spi_node_t *d = spi_get(p, e);
  assert(d->kind == SP_KIND_ADD && i < d->n);
  return d->coefs.add[i];
}

bool sp_is_int(const sp_pool *p, sp_expr e, int64_t value) {
  const spi_node_t *d = spi_get(p, e);
  return d->kind == SP_KIND_INT && d->payload == value;
}

bool sp_is_zero(const sp_pool *p, sp_expr e) {
  const spi_node_t *d = spi_get(p, e);
  return (d->kind == SP_KIND_INT && d->payload == 0) ||
         (d->kind == SP_KIND_NUM && d->payload == SPI_NUM_ZERO.v);
}

bool sp_is_true(const sp_pool *p, sp_expr e) {
  (void)p;
  return spi_same(e, SPI_TRUE);
}

bool sp_is_false(const sp_pool *p, sp_expr e) {
  (void)p;
  return spi_same(e, SPI_FALSE);
}

uint32_t sp_free_vars(sp_pool *p, sp_expr e, const sp_expr **vars) {
  const spi_set *s = spi_get(p, e)->free;
  *vars = s->v;
  return s->n;
}

bool sp_has_free(sp_pool *p, sp_expr e, sp_expr var) {
  return spi_set_has(spi_get(p, e)->free, var);
}

bool sp_has_red(const sp_pool *p, sp_expr e) {
  return spi_get(p, e)->flags & SPI_HAS_RED;
}

uint32_t sp_red_height(const sp_pool *p, sp_expr e) {
  return spi_get(p, e)->height;
}

bool sp_has_condition(const sp_pool *p, sp_expr e) {
  return spi_get(p, e)->flags & SPI_NARROWABLE;
}

bool sp_has_read(const sp_pool *p, sp_expr e) {
  return spi_get(p, e)->flags & SPI_HAS_READ;
}
