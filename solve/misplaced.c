/* misplaced.c: read spi_misplaced_text. */
#include "solve/misplaced.h"

#include <inttypes.h>
#include <math.h>

#include "solve/fit.h"

enum { MAX_RANKS = 64, MAX_COMPARED = 1 << 22, MAX_LISTED = 4 };

/* Ranks compared: what `rank` holds with what `other` should. Results of one
 * element, and of one value, say nothing. */
static bool holds_part_of(spi_bench *b, size_t result, int64_t rank,
                          int64_t other, int64_t n) {
  double want, got, unused, first = NAN;
  bool varied = false;
  for (int64_t i = 0; i < n; i++) {
    bool inside = spi_bench_element(b, result, other, i, &want, &unused);
    if (inside != spi_bench_element(b, result, rank, i, &unused, &got)) {
      return false;
    }
    if (!inside) {
      continue;
    }
    if (!spi_close(want, got, fabs(want) + fabs(got))) {
      return false;
    }
    varied = varied || (!isnan(first) && want != first);
    first = isnan(first) ? want : first;
  }
  return varied;
}

static int64_t whose(spi_bench *b, size_t result, int64_t rank, int64_t ranks,
                     int64_t n) {
  for (int64_t k = 0; k < ranks; k++) {
    int64_t other = k == 0 ? rank : k <= rank ? k - 1 : k; /* itself first */
    if (holds_part_of(b, result, rank, other, n)) {
      return other;
    }
  }
  return -1;
}

const char *spi_misplaced_text(spi_bench *b, size_t result, int64_t wrong) {
  sp_ctx *ctx = b->s->ctx;
  const sp_program *p = b->s->dist_program;
  uint32_t t = b->s->problem->promised[result].dist;
  int64_t ranks = p->partitions, n = 1, of[MAX_RANKS];
  for (uint32_t d = 0; d < p->tensors[t].shape.n_dims; d++) {
    n *= p->tensors[t].shape.dims[d];
  }
  if (b->sample || ranks > MAX_RANKS || n > MAX_COMPARED / (ranks * ranks) ||
      (of[wrong] = whose(b, result, wrong, ranks, n)) < 0 ||
      of[wrong] == wrong) {
    return NULL;
  }
  bool one = true, whole = true;
  for (int64_t r = 0; r < ranks; r++) {
    of[r] = whose(b, result, r, ranks, n);
    whole = whole && of[r] >= 0;
    one = one && of[r] == of[wrong];
  }
  if (one) {
    return sp_format(ctx, "all ranks hold what rank %" PRId64 " should",
                     of[wrong]);
  }
  if (!whole) {
    return sp_format(ctx, "rank %" PRId64 " holds what rank %" PRId64 " should",
                     wrong, of[wrong]);
  }
  sp_str s = {0};
  int listed = 0;
  for (int64_t r = 0; r < ranks && listed <= MAX_LISTED; r++) {
    if (of[r] != r && listed++ < MAX_LISTED) {
      sp_str_addf(ctx, &s, "%srank %" PRId64 " holds what rank %" PRId64,
                  listed > 1 ? ", " : "", r, of[r]);
    }
  }
  return sp_format(ctx, "%s%s should", s.v, listed > MAX_LISTED ? ", ..." : "");
}
