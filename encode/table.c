/* table.c: constant tables: equal contents are one symbol, reads are folded or
 * refitted where they can be.
 */
#include "base/arith.h"
#include "encode/index.h"
#include "encode/num.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static int64_t table_size(sp_pool *p, uint32_t n, const int64_t *extents) {
  int64_t size = 1;
  for (uint32_t i = 0; i < n; i++) {
    assert(extents[i] >= 0);
    size = spi_mul64(p, size, extents[i]);
  }
  return size;
}

static uint32_t *chain_of(sp_pool *p, uint64_t hash) {
  return &p->tables[hash % SPI_CHAINS];
}

/* A table with the same contents, or none. */
static sp_sym table_find(sp_pool *p, const spi_sym *t, const void *values,
                         size_t bytes) {
  for (uint32_t i = *chain_of(p, t->hash); i; i = p->syms.v[i].next_table) {
    const spi_sym *s = &p->syms.v[i];
    const void *own = s->nums ? (const void *)s->nums : s->ints;
    if (s->hash == t->hash && s->sort == t->sort && s->n_args == t->n_args &&
        s->n_values == t->n_values &&
        (t->n_args == 0 ||
         memcmp(s->extents, t->extents, t->n_args * sizeof *t->extents) == 0) &&
        (bytes == 0 || memcmp(own, values, bytes) == 0)) {
      return (sp_sym){i};
    }
  }
  return (sp_sym){0};
}

/* The symbol for these contents; its own copy of the values is put in *copy
 * when it is new. */
static sp_sym table_new(sp_pool *p, spi_sym proto, const void *values,
                        size_t size, void **copy) {
  size_t bytes = (size_t)proto.n_values * size;
  proto.hash = XXH3_64bits_withSeed(values, bytes, (uint64_t)proto.sort);
  proto.hash ^= XXH3_64bits(proto.extents, proto.n_args * sizeof(int64_t));
  sp_sym s = table_find(p, &proto, values, bytes);
  *copy = NULL;
  if (s.v == 0) {
    const char *name = sp_format(p->ctx, "table%zu", p->syms.n);
    s = sp_sym_new(p, name, proto.sort, proto.n_args, proto.extents);
    *copy = sp_alloc_n(p->ctx, (size_t)proto.n_values, size);
    if (bytes) {
      memcpy(*copy, values, bytes);
    }
    spi_sym *d = &p->syms.v[s.v];
    d->is_table = true;
    d->n_values = proto.n_values;
    d->hash = proto.hash;
    d->next_table = *chain_of(p, d->hash);
    *chain_of(p, d->hash) = s.v;
  }
  return s;
}

void sp_sym_set_range(sp_pool *p, sp_sym s, int64_t lo, int64_t hi) {
  assert(s.v > 0 && s.v < p->syms.n && p->syms.v[s.v].sort == SP_SORT_INT);
  p->syms.v[s.v].lo = lo;
  p->syms.v[s.v].hi = hi;
}

void sp_sym_set_gaps(sp_pool *p, sp_sym s, uint32_t n, const sp_stretch *gaps) {
  assert(s.v > 0 && s.v < p->syms.n && p->syms.v[s.v].sort == SP_SORT_INT);
  p->syms.v[s.v].n_gaps = n;
  p->syms.v[s.v].gaps = gaps;
}

uint32_t sp_sym_gaps(const sp_pool *p, sp_sym s, const sp_stretch **gaps) {
  const spi_sym *d = spi_sym_of(p, s);
  *gaps = d->gaps;
  return d->n_gaps;
}

sp_sym sp_sym_table_int(sp_pool *p, sp_sort sort, uint32_t n_args,
                        const int64_t *extents, const int64_t *values) {
  assert(sort != SP_SORT_REAL);
  spi_sym proto = {.sort = sort,
                   .n_args = n_args,
                   .extents = extents,
                   .n_values = table_size(p, n_args, extents)};
  void *copy;
  sp_sym s = table_new(p, proto, values, sizeof *values, &copy);
  if (copy) {
    spi_sym *d = &p->syms.v[s.v];
    d->ints = copy;
    if (sort == SP_SORT_INT && d->n_values > 0) {
      d->lo = d->hi = values[0];
      for (int64_t i = 1; i < d->n_values; i++) {
        d->lo = values[i] < d->lo ? values[i] : d->lo;
        d->hi = values[i] > d->hi ? values[i] : d->hi;
      }
    }
  }
  return s;
}

sp_sym sp_sym_table_num(sp_pool *p, uint32_t n_args, const int64_t *extents,
                        const sp_num *values) {
  spi_sym proto = {.sort = SP_SORT_REAL,
                   .n_args = n_args,
                   .extents = extents,
                   .n_values = table_size(p, n_args, extents)};
  void *copy;
  sp_sym s = table_new(p, proto, values, sizeof *values, &copy);
  if (copy) {
    p->syms.v[s.v].nums = copy;
  }
  return s;
}

sp_value sp_sym_table_value(const sp_pool *p, sp_sym sym, int64_t at) {
  const spi_sym *s = spi_sym_of(p, sym);
  assert(s->is_table && at >= 0 && at < s->n_values);
  sp_value v = {.sort = s->sort};
  if (s->sort == SP_SORT_REAL) {
    v.r = sp_num_double(p, s->nums[at]);
  } else {
    v.i = s->ints[at];
    v.b = v.i != 0;
  }
  return v;
}

bool spi_table_at(const spi_sym *s, const int64_t *idx, int64_t *at) {
  *at = 0;
  for (uint32_t i = 0; i < s->n_args; i++) {
    if (idx[i] < 0 || idx[i] >= s->extents[i]) {
      return false;
    }
    *at = *at * s->extents[i] + idx[i];
  }
  return true;
}

/* ---- reads ---- */

static sp_expr element(sp_pool *p, const spi_sym *s, int64_t at) {
  switch (s->sort) {
  case SP_SORT_INT:
    return sp_int(p, s->ints[at]);
  case SP_SORT_BOOL:
    return sp_bool(p, s->ints[at] != 0);
  case SP_SORT_REAL:
    break;
  }
  return sp_real(p, s->nums[at]);
}

static bool all_equal(const spi_sym *s) {
  for (int64_t i = 1; i < s->n_values; i++) {
    bool same =
        s->nums ? sp_num_eq(s->nums[i], s->nums[0]) : s->ints[i] == s->ints[0];
    if (!same) {
      return false;
    }
  }
  return s->n_values > 0;
}

static bool inside(sp_pool *p, const spi_sym *s, const sp_expr *idx) {
  for (uint32_t i = 0; i < s->n_args; i++) {
    int64_t lo, hi;
    sp_range(p, idx[i], &lo, &hi);
    if (lo < 0 || hi >= s->extents[i]) {
      return false;
    }
  }
  return true;
}

static sp_expr fit_any(sp_pool *p, sp_sort sort, const int64_t *v, int64_t n,
                       sp_expr x) {
  return sort == SP_SORT_INT ? sp_fit(p, v, n, x) : spi_fit_bool(p, v, n, x);
}

/* As a function of the only variable in the indices. */
static sp_expr fit_var(sp_pool *p, sp_expr read) {
  spi_node_t *d = spi_get(p, read);
  if (d->free->n != 1 || (d->flags & (SPI_HAS_READ | SPI_HAS_RED))) {
    return (sp_expr){0};
  }
  sp_expr x = d->free->v[0];
  int64_t n = sp_var_extent(p, x);
  bool rank = spi_var_of(p, x)->cls == SP_VAR_RANK;
  if (n < 1 || n > (rank ? SPI_FIT_MAX : SPI_FIT_TABLE)) {
    return (sp_expr){0};
  }
  if (d->fit.v) { /* tried without success, or it would be gone */
    return (sp_expr){0};
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  int64_t *v = sp_scratch(p->ctx, (size_t)n * sizeof *v);
  sp_expr e = {0};
  if (spi_values(p, read, x, n, v)) {
    e = fit_any(p, (sp_sort)d->sort, v, n, x);
    if (!e.v) {
      d->fit = read;
    }
  }
  sp_scratch_release(p->ctx, mark);
  return e;
}

/* As a function of the row-major position. */
static sp_expr fit_whole(sp_pool *p, sp_sym sym, const sp_expr *idx) {
  const spi_sym *s = spi_sym_of(p, sym);
  if (s->no_fit || s->n_values > SPI_FIT_TABLE) {
    return (sp_expr){0};
  }
  sp_expr x = sp_flatten(p, s->n_args, s->extents, idx);
  sp_expr e = fit_any(p, s->sort, s->ints, s->n_values, x);
  if (!e.v) {
    p->syms.v[sym.v].no_fit = true;
  }
  return e;
}

sp_expr spi_read_table(sp_pool *p, sp_sym sym, const sp_expr *idx) {
  const spi_sym *s = spi_sym_of(p, sym);
  sp_mark mark = sp_scratch_mark(p->ctx);
  int64_t *k = sp_scratch(p->ctx, (s->n_args + 1) * sizeof *k), at;
  bool constant = true;
  for (uint32_t i = 0; i < s->n_args; i++) {
    constant = constant && spi_kind(p, idx[i]) == SP_KIND_INT;
    k[i] = constant ? sp_int_value(p, idx[i]) : 0;
  }
  constant = constant && spi_table_at(s, k, &at);
  sp_scratch_release(p->ctx, mark);
  if (constant) {
    return element(p, s, at);
  }
  sp_expr read =
      spi_node(p, SP_KIND_READ, s->sort, sym.v, s->n_args, idx, NULL);
  if (!inside(p, s, idx)) {
    return read; /* outside a read is anything */
  }
  if (all_equal(s)) {
    return element(p, s, 0);
  }
  if (s->sort == SP_SORT_REAL) {
    return read;
  }
  sp_expr e = fit_var(p, read);
  if (!e.v) {
    e = fit_whole(p, sym, idx);
  }
  return e.v ? e : read;
}

sp_expr sp_table(sp_pool *p, const int64_t *values, int64_t n, sp_expr x) {
  if (n <= 0) {
    return sp_int(p, 0); /* x in [0, 0): never evaluated */
  }
  sp_expr e = sp_fit(p, values, n, x);
  if (e.v) {
    return e;
  }
  sp_sym s = sp_sym_table_int(p, SP_SORT_INT, 1, &n, values);
  return sp_read(p, s, &x);
}

/* The least number of which all values are multiples is 1 / d; false where
 * numbers get large. */
static bool common_unit(sp_pool *p, const sp_num *values, int64_t n,
                        int64_t *multiples, int64_t *d) {
  *d = 1;
  for (int64_t i = 0; i < n; i++) {
    int64_t above, below;
    if (!spi_num_as_ratio(p, values[i], &above, &below) ||
        !sp_mul_ok(*d / sp_gcd(*d, below), below, d)) {
      return false;
    }
  }
  for (int64_t i = 0; i < n; i++) {
    int64_t above, below;
    if (!spi_num_as_ratio(p, values[i], &above, &below) ||
        !sp_mul_ok(above, *d / below, &multiples[i])) {
      return false;
    }
  }
  return true;
}

/* 0 and one number k: a mask that something is multiplied with, so a choice. Of
 * two values only 1 is taken for that: others are offsets. */
static sp_expr fit_mask(sp_pool *p, const int64_t *multiples, int64_t n,
                        int64_t d, sp_expr x) {
  int64_t *set = sp_scratch(p->ctx, (size_t)n * sizeof *set);
  int64_t k = 0;
  for (int64_t i = 0; i < n; i++) {
    set[i] = multiples[i] != 0;
    k = set[i] && k == 0 ? multiples[i] : k;
    if (set[i] && multiples[i] != k) {
      return (sp_expr){0};
    }
  }
  if (n <= 2 && k != d) {
    return (sp_expr){0};
  }
  sp_expr c = spi_fit_bool(p, set, n, x);
  return c.v ? sp_ite(p, c, sp_real(p, sp_num_ratio(p, k, d)),
                      sp_real_i64(p, 0))
             : c;
}

sp_expr sp_table_real(sp_pool *p, const sp_num *values, int64_t n, sp_expr x) {
  if (n <= 0) {
    return sp_real_i64(p, 0); /* x in [0, 0): never evaluated */
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  int64_t *multiples = sp_scratch(p->ctx, (size_t)n * sizeof *multiples);
  int64_t d;
  sp_expr e = {0};
  if (common_unit(p, values, n, multiples, &d)) {
    e = fit_mask(p, multiples, n, d, x);
    if (!e.v) {
      e = sp_fit(p, multiples, n, x);
      e = e.v ? sp_scale(p, sp_i2r(p, e), sp_num_ratio(p, 1, d)) : e;
    }
  }
  sp_scratch_release(p->ctx, mark);
  if (e.v) {
    return e;
  }
  sp_sym s = sp_sym_table_num(p, 1, &n, values);
  return sp_read(p, s, &x);
}
