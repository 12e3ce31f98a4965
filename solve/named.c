/* named.c: see named.h. */
#include "solve/named.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/hash.h"

static bool has_prefix(const char *name, const char *prefix) {
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

static double uniform(uint64_t bits) {
  return (double)(bits >> 11) * 0x1p-53;
}

/* Two programs compute a value with different rounding errors, and must draw
 * alike all the same: values of one small cell count as equal. The cells are
 * shifted so that numbers with few digits lie inside of one. */
static int64_t cell_of(double x) {
  double scaled = x * 0x1p20 + 0.3183;
  return fabs(scaled) < 9e18 ? (int64_t)floor(scaled) : isnan(x) ? -1 : 1;
}

static uint64_t hash_args(const char *name, uint32_t n, const sp_value *args) {
  uint64_t h = 0;
  for (uint32_t i = 0; i < n; i++) {
    int64_t x = args[i].sort == SP_SORT_REAL  ? cell_of(args[i].r)
                : args[i].sort == SP_SORT_INT ? args[i].i
                                              : args[i].b;
    h = sp_hash_bits(h, name, x);
  }
  return h;
}

/* "dropout:P": kept with probability 1 - P. */
static bool kept(const char *name, uint32_t n, const sp_value *args,
                 sp_value *out) {
  double p = strtod(name + strlen("dropout:"), NULL);
  out->sort = SP_SORT_BOOL;
  out->b = uniform(hash_args(name, n, args)) >= p;
  return true;
}

static bool junk(const char *name, uint32_t n, const sp_value *args,
                 sp_sort sort, sp_value *out) {
  uint64_t h = hash_args(name, n, args);
  *out = (sp_value){.sort = sort,
                    .i = (int64_t)(h >> 58),
                    .b = h & 1,
                    .r = 20 * uniform(h) - 10};
  return true;
}

bool spi_is_made_up(const char *name) {
  return has_prefix(name, "opaque:");
}

bool spi_is_drawn(const char *name) {
  return has_prefix(name, "dropout:") || has_prefix(name, "rng-bits:");
}

/* "func:NAME" of a kernel is any function, and "opaque:NAME" of a spec is one
 * that is made up (solve/evaluate.h): a smooth one, so that rounding does not
 * matter. */
static bool any_function(const char *name, uint32_t n, const sp_value *args,
                         sp_value *out) {
  double x = uniform(sp_hash_bits(0, name, -1));
  for (uint32_t i = 0; i < n; i++) {
    double k = 0.5 + uniform(sp_hash_bits(i, name, 1));
    x += k * (args[i].sort == SP_SORT_REAL  ? args[i].r
              : args[i].sort == SP_SORT_INT ? (double)args[i].i
                                            : args[i].b);
  }
  out->r = sin(x) + 0.25 * x;
  return true;
}

bool spi_named_value(const char *name, uint32_t n, const sp_value *args,
                     sp_sort sort, sp_value *out) {
  int64_t ints[SPI_NAMED_ARGS], r;
  bool all = n > 0;
  *out = (sp_value){.sort = sort};
  for (uint32_t i = 0; i < n; i++) {
    ints[i] = args[i].i;
    all = all && args[i].sort == SP_SORT_INT;
  }
  if (all && sort == SP_SORT_INT && sp_int_function(name, n, ints, &r)) {
    out->i = r;
    return true;
  }
  if (sp_op_function(NULL, name, n, args, out)) {
    return out->sort == sort;
  }
  if (sort == SP_SORT_BOOL && has_prefix(name, "dropout:")) {
    return kept(name, n, args, out);
  }
  if (sort == SP_SORT_REAL &&
      (has_prefix(name, "func:") || spi_is_made_up(name))) {
    return any_function(name, n, args, out);
  }
  return has_prefix(name, "empty:") && junk(name, n, args, sort, out);
}
