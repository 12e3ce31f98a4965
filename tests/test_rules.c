/* test_rules.c: the proof rules of solve/, each with a broken twin that must
 * not be proved; those about ranks are in test_rules_ranks.c.
 */
#include "tests/support_rules.h"

void suite_rules(void);

/* ---- re-index ---- */

static void reindex(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 2, 32);
  sp_expr i = index_var(b, 32);
  sp_expr k = sp_fresh(b->p, 32), p = sp_fresh(b->p, 4), j = sp_fresh(b->p, 8);
  sp_expr whole = red1(b, SP_RED_SUM, k, at2(b, x, i, k));
  sp_expr cut = red2(b, SP_RED_SUM, p, j, at2(b, x, i, digits(b, p, 8, j)));
  PROVED(equal(pr, whole, cut));
  /* every eighth element, twice as far: not all of them */
  sp_expr wrong = red2(b, SP_RED_SUM, p, j, at2(b, x, i, digits(b, p, 4, j)));
  OPEN(equal(pr, whole, wrong));
  sp_expr k31 = sp_fresh(b->p, 31);
  sp_expr shorter = red1(b, SP_RED_SUM, k31, at2(b, x, i, k31));
  OPEN(equal(pr, whole, shorter));
}

static void reindex_backwards(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 16);
  sp_expr k = sp_fresh(b->p, 16), m = sp_fresh(b->p, 16);
  sp_expr forth = red1(b, SP_RED_SUM, k, at1(b, x, k));
  sp_expr back =
      red1(b, SP_RED_SUM, m, at1(b, x, sp_isub(b->p, sp_int(b->p, 15), m)));
  PROVED(equal(pr, forth, back));
  sp_expr beyond =
      red1(b, SP_RED_SUM, m, at1(b, x, sp_isub(b->p, sp_int(b->p, 16), m)));
  OPEN(equal(pr, forth, beyond));
}

static void operations_differ(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 16);
  sp_expr k = sp_fresh(b->p, 16);
  sp_expr sum = red1(b, SP_RED_SUM, k, at1(b, x, k));
  sp_expr max = red1(b, SP_RED_MAX, k, at1(b, x, k));
  OPEN(equal(pr, sum, max));
}

/* ---- guarded re-index: ten elements over four ranks of three ---- */

static sp_expr padded(bench *b, sp_sym x, int64_t limit) {
  sp_expr p = sp_fresh(b->p, 4), j = sp_fresh(b->p, 3);
  sp_expr at = digits(b, p, 3, j);
  sp_expr off = sp_le(b->p, sp_int(b->p, limit), at);
  sp_expr body = sp_ite(b->p, off, sp_real_i64(b->p, 0), at1(b, x, at));
  return red2(b, SP_RED_SUM, p, j, body);
}

static void guarded_reindex(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 12);
  sp_expr k = sp_fresh(b->p, 10);
  sp_expr whole = red1(b, SP_RED_SUM, k, at1(b, x, k));
  PROVED(equal(pr, whole, padded(b, x, 10)));
  OPEN(equal(pr, whole, padded(b, x, 11)));
  OPEN(equal(pr, whole, padded(b, x, 9)));
  OPEN(equal(pr, whole, padded(b, x, 12)));
}

static void maxima_may_repeat(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 8);
  sp_expr k = sp_fresh(b->p, 8), m = sp_fresh(b->p, 16);
  sp_expr twice = sp_imod(b->p, m, 8);
  PROVED(equal(pr, red1(b, SP_RED_MAX, k, at1(b, x, k)),
               red1(b, SP_RED_MAX, m, at1(b, x, twice))));
  OPEN(equal(pr, red1(b, SP_RED_SUM, k, at1(b, x, k)),
             red1(b, SP_RED_SUM, m, at1(b, x, twice))));
}

/* ---- functions ---- */

static void lambdas_are_not_reindexed(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 8);
  sp_expr k = sp_fresh(b->p, 8), m = sp_fresh(b->p, 8);
  sp_expr back = sp_isub(b->p, sp_int(b->p, 7), m);
  sp_expr f = red1(b, SP_RED_LAMBDA, k, at1(b, x, k));
  sp_expr g = red1(b, SP_RED_LAMBDA, m,
                   at1(b, x, sp_isub(b->p, sp_int(b->p, 7), back)));
  sp_expr h = red1(b, SP_RED_LAMBDA, m, at1(b, x, back));
  sp_expr i = index_var(b, 8);
  PROVED(equal(pr, sp_fn(b->p, SP_SORT_REAL, "sort", 2, (sp_expr[]){f, i}),
               sp_fn(b->p, SP_SORT_REAL, "sort", 2, (sp_expr[]){g, i})));
  OPEN(equal(pr, sp_fn(b->p, SP_SORT_REAL, "sort", 2, (sp_expr[]){f, i}),
             sp_fn(b->p, SP_SORT_REAL, "sort", 2, (sp_expr[]){h, i})));
}

/* ---- one-hot ---- */

/* Rows of a table cut over four ranks: each looks up what it has. */
static sp_expr looked_up(bench *b, sp_sym table, sp_expr id, int64_t stride) {
  sp_expr p = sp_fresh(b->p, 4);
  sp_expr first = sp_iscale(b->p, p, stride);
  sp_expr mine = sp_and(b->p, sp_le(b->p, first, id),
                        sp_lt(b->p, id, sp_iaddc(b->p, first, 8)));
  sp_expr body = sp_ite(b->p, mine, at1(b, table, id), sp_real_i64(b->p, 0));
  return red1(b, SP_RED_SUM, p, body);
}

static void onehot(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym table = tensor(b, "w", SP_SORT_REAL, 1, 32);
  sp_sym ids = tensor(b, "ids", SP_SORT_INT, 1, 6);
  sp_sym_set_range(b->p, ids, 0, 31);
  sp_expr id = at1(b, ids, index_var(b, 6));
  PROVED(equal(pr, at1(b, table, id), looked_up(b, table, id, 8)));
  /* overlapping shards count rows twice */
  OPEN(equal(pr, at1(b, table, id), looked_up(b, table, id, 4)));
  /* shards with gaps miss rows */
  OPEN(equal(pr, at1(b, table, id), looked_up(b, table, id, 9)));
}

/* Two ranks with six elements each; what is not on has infinity. */
static sp_expr unmasked(bench *b, sp_red_op op, sp_sym x, sp_expr i,
                        int64_t stride) {
  sp_mode mode = sp_pool_mode(b->p, SP_MODE_RAW_INDEX);
  sp_expr k = sp_fresh(b->p, 2), at = sp_iadd(b->p, i, sp_iscale(b->p, k, 6));
  sp_expr on = sp_lt(b->p, sp_iscale(b->p, k, stride), sp_int(b->p, 2));
  sp_expr inf = sp_inf(b->p, op == SP_RED_MAX);
  sp_expr e = red1(b, op, k, sp_ite(b->p, on, at1(b, x, at), inf));
  sp_pool_mode(b->p, mode);
  return e;
}

static void onehot_of_extrema(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 12);
  sp_expr i = index_var(b, 6), e = at1(b, x, i);
  PROVED(equal(pr, e, unmasked(b, SP_RED_MIN, x, i, 2)));
  PROVED(equal(pr, e, unmasked(b, SP_RED_MAX, x, i, 3)));
  /* nothing is masked; another element */
  OPEN(equal(pr, e, unmasked(b, SP_RED_MIN, x, i, 1)));
  OPEN(equal(pr, at1(b, x, sp_iaddc(b->p, i, 6)),
             unmasked(b, SP_RED_MAX, x, i, 2)));
}

static void onehot_needs_the_range(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym table = tensor(b, "w", SP_SORT_REAL, 1, 32);
  sp_sym ids = tensor(b, "ids", SP_SORT_INT, 1, 6); /* any integer */
  sp_expr id = at1(b, ids, index_var(b, 6));
  OPEN(equal(pr, at1(b, table, id), looked_up(b, table, id, 8)));
}

/* ---- pieces ---- */

static void pieces(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 4);
  sp_expr k = sp_fresh(b->p, 4);
  sp_expr rank = sp_var(b->p, SP_VAR_RANK, "rank", 4);
  sp_expr whole = red1(b, SP_RED_SUM, k, at1(b, x, k));
  sp_expr ring = at1(b, x, rank), twice = at1(b, x, rank);
  for (int64_t step = 1; step < 4; step++) {
    sp_expr from = sp_imod(b->p, sp_iaddc(b->p, rank, step), 4);
    sp_expr near = sp_imod(b->p, sp_iaddc(b->p, rank, step % 3), 4);
    ring = sp_add(b->p, ring, at1(b, x, from));
    twice = sp_add(b->p, twice, at1(b, x, near));
  }
  PROVED(equal(pr, whole, ring));
  OPEN(equal(pr, whole, twice));
  sp_expr three = sp_add(b->p, at1(b, x, rank),
                         at1(b, x, sp_imod(b->p, sp_iaddc(b->p, rank, 1), 4)));
  OPEN(equal(pr, whole, three));
}

/* Two micro-batches of two rows on each of two ranks: the sum over ranks of a
 * sum of sums. The second starts `apart` rows after the first. */
static sp_expr batches(bench *b, sp_sym x, int64_t apart) {
  sp_expr r = sp_fresh(b->p, 2), j = sp_fresh(b->p, 2), m = sp_fresh(b->p, 2);
  sp_expr first = red1(b, SP_RED_SUM, j, at1(b, x, digits(b, r, 2, j)));
  sp_expr at = sp_iaddc(b->p, digits(b, r, 2, m), apart);
  sp_expr second = red1(b, SP_RED_SUM, m, at1(b, x, at));
  return red1(b, SP_RED_SUM, r, sp_add(b->p, first, second));
}

/* x in two halves, the second from `from` on, and y whole: a sum of norms. */
static sp_expr halves_and(bench *b, sp_sym x, sp_sym y, int64_t from) {
  sp_expr j = sp_fresh(b->p, 8), m = sp_fresh(b->p, 8), k = sp_fresh(b->p, 16);
  sp_expr low = red1(b, SP_RED_SUM, j, at1(b, x, j));
  sp_expr high = red1(b, SP_RED_SUM, m, at1(b, x, sp_iaddc(b->p, m, from)));
  sp_expr other = red1(b, SP_RED_SUM, k, at1(b, y, k));
  return sp_fn1(b->p, "sqrt", sp_add(b->p, other, sp_add(b->p, low, high)));
}

static void pieces_among_others(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 16);
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 1, 16);
  sp_expr k = sp_fresh(b->p, 16), m = sp_fresh(b->p, 16);
  sp_expr whole = sp_fn1(b->p, "sqrt",
                         sp_add(b->p, red1(b, SP_RED_SUM, k, at1(b, x, k)),
                                red1(b, SP_RED_SUM, m, at1(b, y, m))));
  PROVED(equal(pr, whole, halves_and(b, x, y, 8)));
  OPEN(equal(pr, whole, halves_and(b, x, y, 7)));
  OPEN(equal(pr, whole, halves_and(b, x, y, 0)));
}

static void nested_pieces(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 12);
  sp_expr k = sp_fresh(b->p, 8);
  sp_expr whole = red1(b, SP_RED_SUM, k, at1(b, x, k));
  PROVED(equal(pr, whole, batches(b, x, 4)));
  OPEN(equal(pr, whole, batches(b, x, 3))); /* row 3 twice, row 7 never */
  OPEN(equal(pr, whole, batches(b, x, 5)));
  /* disjoint on each rank, but the second rank's first are the first's second:
   * rows 0 to 3 and 2 to 5 */
  OPEN(equal(pr, whole, batches(b, x, 2)));
}

/* Elements 0 to limit - 1 in tiles of eight, the last partly outside. */
static sp_expr tiles(bench *b, sp_red_op op, sp_sym x, int64_t apart,
                     int64_t limit) {
  sp_expr all = {0};
  sp_expr none = op == SP_RED_SUM ? sp_real_i64(b->p, 0) : sp_inf(b->p, true);
  for (int64_t t = 0; t < 3; t++) {
    sp_expr k = sp_fresh(b->p, 8), at = sp_iaddc(b->p, k, apart * t);
    sp_expr inside = sp_lt(b->p, at, sp_int(b->p, limit));
    sp_expr tile = red1(b, op, k, sp_ite(b->p, inside, at1(b, x, at), none));
    all = t == 0             ? tile
          : op == SP_RED_SUM ? sp_add(b->p, all, tile)
                             : sp_max(b->p, all, tile);
  }
  return all;
}

static void tiles_with_remainder(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 24);
  sp_expr k = sp_fresh(b->p, 20), m = sp_fresh(b->p, 20);
  sp_expr sum = red1(b, SP_RED_SUM, k, at1(b, x, k));
  PROVED(equal(pr, sum, tiles(b, SP_RED_SUM, x, 8, 20)));
  OPEN(equal(pr, sum, tiles(b, SP_RED_SUM, x, 8, 21)));
  OPEN(equal(pr, sum, tiles(b, SP_RED_SUM, x, 8, 19)));
  OPEN(equal(pr, sum, tiles(b, SP_RED_SUM, x, 7, 20))); /* some twice */
  sp_expr max = red1(b, SP_RED_MAX, m, at1(b, x, m));
  PROVED(equal(pr, max, tiles(b, SP_RED_MAX, x, 8, 20)));
  PROVED(equal(pr, max, tiles(b, SP_RED_MAX, x, 7, 20))); /* may be twice */
  OPEN(equal(pr, max, tiles(b, SP_RED_MAX, x, 9, 20)));   /* 8 is left out */
  OPEN(equal(pr, max, tiles(b, SP_RED_MAX, x, 5, 20)));
}

/* Steps of three tiles, two blocks of four in each, dealt out: three for each
 * of two workers, the last at `last`. What they have of tile t. */
static sp_expr dealt(bench *b, sp_sym x, sp_expr t, int64_t last) {
  sp_pool *p = b->p;
  sp_expr all = {0}, q = sp_fresh(p, 2);
  for (int64_t s = 0; s < 3; s++) {
    sp_expr u = sp_fresh(p, 4);
    sp_expr step = sp_iaddc(p, sp_iscale(p, q, 3), s < 2 ? s : last);
    sp_expr block = digits(b, sp_imod(p, step, 2), 4, u);
    sp_expr mine = sp_eq(p, sp_idiv(p, step, 2), t);
    sp_expr part = sp_ite(p, mine, red1(b, SP_RED_SUM, u, at2(b, x, t, block)),
                          sp_real_i64(p, 0));
    all = s == 0 ? part : sp_add(p, all, part);
  }
  return red1(b, SP_RED_SUM, q, all);
}

static void dealt_out(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 2, 8);
  sp_expr t = index_var(b, 3), k = sp_fresh(b->p, 8);
  sp_expr whole = red1(b, SP_RED_SUM, k, at2(b, x, t, k));
  PROVED(equal(pr, whole, dealt(b, x, t, 2)));
  OPEN(equal(pr, whole, dealt(b, x, t, 1))); /* twice, and step 2 never */
  OPEN(equal(pr, whole, dealt(b, x, t, 3)));
}

/* One step of a scan in log steps: y[j], and what is `back` before it if there
 * is something, where y[j] is x[j] + x[j-1] likewise. */
static sp_expr scanned(bench *b, sp_sym x, sp_expr j, int64_t back,
                       int64_t from) {
  sp_expr y[2];
  for (int far = 0; far < 2; far++) {
    sp_expr i = far ? sp_iaddc(b->p, j, -back) : j;
    sp_expr two = sp_add(b->p, at1(b, x, i), at1(b, x, sp_iaddc(b->p, i, -1)));
    y[far] = sp_ite(b->p, sp_le(b->p, sp_int(b->p, 1), i), two, at1(b, x, i));
  }
  sp_expr more = sp_le(b->p, sp_int(b->p, from), j);
  return sp_ite(b->p, more, sp_add(b->p, y[0], y[1]), y[0]);
}

static void scans(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 4);
  sp_expr j = index_var(b, 4), k = sp_fresh(b->p, 4);
  sp_expr upto =
      sp_ite(b->p, sp_le(b->p, k, j), at1(b, x, k), sp_real_i64(b->p, 0));
  sp_expr whole = red1(b, SP_RED_SUM, k, upto);
  PROVED(equal(pr, whole, scanned(b, x, j, 2, 2)));
  OPEN(equal(pr, whole, scanned(b, x, j, 2, 3)));
  OPEN(equal(pr, whole, scanned(b, x, j, 1, 2)));
}

/* ite(j < 2, x[0] + x[1], ite(j < low, y[0] + y[1], x[0])) */
static sp_expr chosen(bench *b, sp_sym x, sp_sym y, sp_expr j, int64_t low) {
  sp_pool *p = b->p;
  sp_expr first = at1(b, x, sp_int(p, 0)), next = at1(b, x, sp_int(p, 1));
  sp_expr other = sp_add(p, at1(b, y, sp_int(p, 0)), at1(b, y, sp_int(p, 1)));
  sp_expr rest = sp_ite(p, sp_lt(p, j, sp_int(p, low)), other, first);
  return sp_ite(p, sp_lt(p, j, sp_int(p, 2)), sp_add(p, first, next), rest);
}

static void branches_that_are_never_taken(bench *b) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 64);
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 1, 64);
  sp_expr j = index_var(b, 64), k = sp_fresh(p, 64);
  sp_expr second =
      sp_and(p, sp_eq(p, k, sp_int(p, 1)), sp_lt(p, j, sp_int(p, 2)));
  sp_expr in = sp_or(p, sp_eq(p, k, sp_int(p, 0)), second);
  sp_expr whole =
      red1(b, SP_RED_SUM, k, sp_ite(p, in, at1(b, x, k), sp_real_i64(p, 0)));
  PROVED(spi_pieces_equal(pr, whole, chosen(b, x, y, j, 1), NONE));
  PROVED(spi_pieces_equal(pr, whole, chosen(b, x, y, j, 2), NONE));
  OPEN(spi_pieces_equal(pr, whole, chosen(b, x, y, j, 3), NONE));
}

/* ---- written out ---- */

static void written(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 20);
  sp_expr k = sp_fresh(b->p, 3), many = sp_fresh(b->p, 17);
  sp_expr sum = red1(b, SP_RED_SUM, k, at1(b, x, k));
  sp_expr max = red1(b, SP_RED_MAX, k, at1(b, x, k));
  sp_expr e[3];
  for (int i = 0; i < 3; i++) {
    e[i] = at1(b, x, sp_int(b->p, i));
  }
  CU_ASSERT_EQUAL(spi_written_out(pr, sum, false).v,
                  sp_add(b->p, sp_add(b->p, e[0], e[1]), e[2]).v);
  CU_ASSERT_EQUAL(spi_written_out(pr, max, false).v,
                  sp_max(b->p, sp_max(b->p, e[0], e[1]), e[2]).v);
  /* maxima compute; so do products under a sum */
  sp_expr square = sp_mul(b->p, at1(b, x, k), at1(b, x, k));
  sp_expr squares = red1(b, SP_RED_SUM, k, square);
  CU_ASSERT_EQUAL(spi_written_out(pr, max, true).v, max.v);
  CU_ASSERT_EQUAL(spi_written_out(pr, squares, true).v, squares.v);
  CU_ASSERT_NOT_EQUAL(spi_written_out(pr, sum, true).v, sum.v);
  sp_expr long_one = red1(b, SP_RED_SUM, many, at1(b, x, many));
  sp_expr function = red1(b, SP_RED_LAMBDA, k, at1(b, x, k));
  CU_ASSERT_EQUAL(spi_written_out(pr, long_one, false).v, long_one.v);
  CU_ASSERT_EQUAL(spi_written_out(pr, function, false).v, function.v);
}

/* ---- choices ---- */

static sp_expr column(bench *b, sp_sym x, sp_expr at) {
  sp_expr k = sp_fresh(b->p, 12);
  return red1(b, SP_RED_SUM, k, at2(b, x, k, at));
}

/* The sum of column i + 2 rank, chosen rank by rank; the last one at `last`. */
static sp_expr by_rank(bench *b, sp_sym x, sp_expr rank, sp_expr i,
                       int64_t last) {
  sp_expr e = column(b, x, sp_iaddc(b->p, i, last));
  for (int64_t r = 2; r-- > 0;) {
    e = sp_ite(b->p, sp_eq(b->p, rank, sp_int(b->p, r)),
               column(b, x, sp_iaddc(b->p, i, 2 * r)), e);
  }
  return e;
}

static void choices(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 2, 12);
  sp_expr rank = sp_var(b->p, SP_VAR_RANK, "rank", 3), i = index_var(b, 2);
  sp_expr one = column(b, x, digits(b, rank, 2, i));
  PROVED(equal(pr, one, by_rank(b, x, rank, i, 4)));
  OPEN(equal(pr, one, by_rank(b, x, rank, i, 5)));
}

/* Chosen by a position, of 2 x 3 elements and the ones beside them, the second
 * time in the other order. */
static void choices_of_functions(bench *b) {
  sp_pool *p = b->p;
  sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 2, 4);
  sp_expr c = sp_lt(p, index_var(b, 4), sp_int(p, 2)), e[4];
  for (int swapped = 0; swapped < 2; swapped++) {
    sp_expr u = sp_fresh(p, swapped ? 3 : 2), v = sp_fresh(p, swapped ? 2 : 3);
    sp_expr body = swapped ? at2(b, x, v, sp_iaddc(p, u, 1)) : at2(b, x, u, v);
    e[swapped] = red2(b, SP_RED_SUM, u, v, body);
    e[2 + swapped] = red2(b, SP_RED_LAMBDA, u, v, body);
  }
  CU_ASSERT_NOT_EQUAL(sp_join(p, sp_ite(p, c, e[0], e[1])).v, 0);
  CU_ASSERT_EQUAL(sp_join(p, sp_ite(p, c, e[2], e[3])).v, 0);
}

/* ---- simpler indices ---- */

/* x[k], but y[k] where k < limit */
static sp_expr clamped(bench *b, sp_sym x, sp_sym y, int64_t limit) {
  sp_expr k = sp_fresh(b->p, 12);
  sp_expr low = sp_lt(b->p, k, sp_int(b->p, limit));
  sp_expr other = sp_mul(b->p, at1(b, y, k), at1(b, y, k));
  return red1(b, SP_RED_SUM, k, sp_ite(b->p, low, other, at1(b, x, k)));
}

static void simpler_indices(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 12);
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 1, 12);
  sp_expr k = sp_fresh(b->p, 12);
  sp_expr whole = red1(b, SP_RED_SUM, k, at1(b, x, k));
  PROVED(equal(pr, whole, clamped(b, x, y, 0)));
  OPEN(equal(pr, whole, clamped(b, x, y, 1)));
}

/* ---- order facts ---- */

/* Is the element the maximum? Asked of the whole, and shard by shard. */
static void argmax_by_shards(bench *b) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 32);
  sp_expr k = sp_fresh(p, 32), j = sp_fresh(p, 8);
  sp_expr shard = sp_var(p, SP_VAR_INDEX, "s", 4), at = index_var(b, 8);
  sp_expr whole = red1(b, SP_RED_MAX, k, at1(b, x, k));
  sp_expr part = red1(b, SP_RED_MAX, j, at1(b, x, digits(b, shard, 8, j)));
  sp_expr element = at1(b, x, digits(b, shard, 8, at));
  sp_expr one = sp_real_i64(p, 1), zero = sp_real_i64(p, 0);
  sp_expr directly = sp_ite(p, sp_eq(p, element, whole), one, zero);
  sp_expr by_shard = sp_ite(
      p, sp_and(p, sp_eq(p, part, whole), sp_eq(p, element, part)), one, zero);
  PROVED(equal(pr, directly, by_shard));
  sp_expr local = sp_ite(p, sp_eq(p, element, part), one, zero);
  OPEN(equal(pr, directly, local));
}

BENCH_TEST(a_sum_is_the_sum_of_its_shards, reindex)
BENCH_TEST(a_sum_may_run_backwards, reindex_backwards)
BENCH_TEST(different_operations_are_not_equal, operations_differ)
BENCH_TEST(padding_must_be_masked_exactly, guarded_reindex)
BENCH_TEST(only_idempotent_reductions_may_repeat, maxima_may_repeat)
BENCH_TEST(functions_are_equal_point_by_point, lambdas_are_not_reindexed)
BENCH_TEST(a_sharded_lookup_finds_each_row_once, onehot)
BENCH_TEST(a_maximum_finds_what_is_not_masked, onehot_of_extrema)
BENCH_TEST(a_sharded_lookup_needs_ids_in_range, onehot_needs_the_range)
BENCH_TEST(a_ring_sees_every_piece_once, pieces)
BENCH_TEST(micro_batches_see_every_row_once, nested_pieces)
BENCH_TEST(few_points_are_written_out, written)
BENCH_TEST(tiles_may_reach_beyond, tiles_with_remainder)
BENCH_TEST(a_scan_in_log_steps_sees_what_came_before, scans)
BENCH_TEST(steps_dealt_out_are_taken_once, dealt_out)
BENCH_TEST(what_is_never_chosen_is_no_piece, branches_that_are_never_taken)
BENCH_TEST(a_chunk_by_rank_is_one_term, choices)
BENCH_TEST(functions_keep_the_order_of_their_variables, choices_of_functions)
BENCH_TEST(conditions_that_ranges_decide_go, simpler_indices)
BENCH_TEST(pieces_of_one_sum_among_others, pieces_among_others)
BENCH_TEST(the_maximum_of_maxima_decides, argmax_by_shards)

void suite_rules(void) {
  CU_pSuite s = CU_add_suite("rules", NULL, NULL);
#define ADD(t) CU_add_test(s, #t, t)
  ADD(a_sum_is_the_sum_of_its_shards);
  ADD(a_sum_may_run_backwards);
  ADD(different_operations_are_not_equal);
  ADD(padding_must_be_masked_exactly);
  ADD(only_idempotent_reductions_may_repeat);
  ADD(functions_are_equal_point_by_point);
  ADD(a_sharded_lookup_finds_each_row_once);
  ADD(a_maximum_finds_what_is_not_masked);
  ADD(a_sharded_lookup_needs_ids_in_range);
  ADD(a_ring_sees_every_piece_once);
  ADD(micro_batches_see_every_row_once);
  ADD(few_points_are_written_out);
  ADD(tiles_may_reach_beyond);
  ADD(a_scan_in_log_steps_sees_what_came_before);
  ADD(steps_dealt_out_are_taken_once);
  ADD(what_is_never_chosen_is_no_piece);
  ADD(a_chunk_by_rank_is_one_term);
  ADD(functions_keep_the_order_of_their_variables);
  ADD(conditions_that_ranges_decide_go);
  ADD(pieces_of_one_sum_among_others);
  ADD(the_maximum_of_maxima_decides);
#undef ADD
}
