/* test_rules_ranks.c: proof rules about ranks: neighbours, partners, rings,
 * trees, and what holds on each rank. Each has a broken twin.
 */
#include "tests/support_rules.h"

void suite_rules_ranks(void);

/* The neighbour's neighbour on a ring of n ranks: its number's remainder by
 * inner, minus one, by n. */
static void flatter_indices(bench *b) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 1, 16);
  sp_expr r = sp_var(p, SP_VAR_RANK, "r", 16);
  sp_expr flat = sp_imod(p, sp_iaddc(p, r, 14), 16);
  for (int64_t inner = 8; inner <= 16; inner += 8) {
    sp_expr one = sp_imod(p, sp_iaddc(p, r, -1), inner);
    sp_expr two = sp_imod(p, sp_iaddc(p, one, -1), 16);
    sp_expr e = spi_flatter_indices(pr, at1(b, y, two));
    CU_ASSERT_EQUAL(e.v == at1(b, y, flat).v, inner == 16);
    CU_ASSERT_NOT_EQUAL(e.v, at1(b, y, two).v);
  }
}

/* The partner of r at a distance of d: d more or less, by a digit of r. */
static sp_expr partner(bench *b, sp_expr r, int64_t d) {
  sp_pool *p = b->p;
  sp_expr low = sp_eq(p, sp_imod(p, sp_idiv(p, r, d), 2), sp_int(p, 0));
  return sp_ite(p, low, sp_iaddc(p, r, d), sp_iaddc(p, r, -d));
}

/* What recursive doubling over n ranks adds up, with distances that double, the
 * last one or `last`. */
static sp_expr doubling(bench *b, sp_prover *pr, sp_sym x, sp_expr r, int64_t n,
                        int64_t last) {
  sp_pool *p = b->p;
  sp_expr e = at1(b, x, r);
  for (int64_t d = 1; d < n; d *= 2) {
    sp_expr other = partner(b, r, d * 2 < n ? d : last);
    e = sp_add(p, e, sp_subst(p, e, 1, &r, &other));
    e = spi_flatter_indices(pr, e);
  }
  return e;
}

static void partners(bench *b) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 16);
  sp_expr r = sp_var(p, SP_VAR_RANK, "r", 16), k = sp_fresh(p, 16);
  sp_expr twice = partner(b, partner(b, r, 8), 8);
  CU_ASSERT_EQUAL(spi_flatter_indices(pr, at1(b, x, twice)).v, at1(b, x, r).v);
  sp_expr whole = red1(b, SP_RED_SUM, k, at1(b, x, k));
  PROVED(spi_pieces_equal(pr, whole, doubling(b, pr, x, r, 16, 8), NONE));
  OPEN(spi_pieces_equal(pr, whole, doubling(b, pr, x, r, 16, 4), NONE));
}

static void each_rank(bench *b) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  sp_expr r = sp_var(p, SP_VAR_RANK, "r", 16), i = index_var(b, 4);
  sp_expr at = digits(b, partner(b, r, 4), 4, i);
  sp_expr below = sp_lt(p, at, sp_int(p, 64));
  sp_expr odd = sp_eq(p, sp_imod(p, r, 2), sp_int(p, 1));
  sp_expr not_12 = sp_not(p, sp_eq(p, at, sp_int(p, 12)));
  PROVED(spi_prove_by_rank(pr, "below", below, NONE));
  PROVED(sp_prove_holds(pr, "below", spi_at_each_rank(p, below), NONE));
  OPEN(spi_prove_by_rank(pr, "not 12", not_12, NONE)); /* rank 7 has it */
  OPEN(sp_prove_holds(pr, "not 12", spi_at_each_rank(p, not_12), NONE));
  OPEN(spi_prove_by_rank(pr, "not 12", not_12, (sp_hyps){1, &odd}));
  odd = sp_not(p, odd);
  PROVED(spi_prove_by_rank(pr, "not 12", not_12, (sp_hyps){1, &odd}));
}

/* Reads that differ in digits of the rank: (r + 4 or r - 4) mod 8 is r with the
 * bit of 4 turned, and so is (r + 4) mod 8. */
static void on_each_rank(bench *b) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 32);
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 1, 32);
  sp_expr r = sp_var(p, SP_VAR_RANK, "r", 8), k = index_var(b, 4);
  sp_expr turned = sp_imod(p, sp_iaddc(p, r, 4), 8);
  sp_expr low = sp_iadd(p, k, sp_iscale(p, partner(b, r, 4), 4));
  sp_expr high = sp_iadd(p, k, sp_iscale(p, turned, 4));
  sp_expr two = sp_mul(p, at1(b, x, low), at1(b, y, k));
  sp_expr other = sp_mul(p, at1(b, x, high), at1(b, y, k));
  PROVED(spi_equal_on_each_rank(pr, at1(b, x, low), at1(b, x, high)));
  PROVED(spi_equal_on_each_rank(pr, two, other));
  OPEN(spi_equal_on_each_rank(pr, at1(b, x, low), at1(b, y, high)));
  OPEN(spi_equal_on_each_rank(pr, two, at1(b, x, high)));
  /* another one on rank 7 alone */
  sp_expr last = sp_eq(p, r, sp_int(p, 7));
  sp_expr wrong = sp_ite(p, last, sp_int(p, 2), turned);
  sp_expr off = sp_iadd(p, k, sp_iscale(p, wrong, 4));
  OPEN(spi_equal_on_each_rank(pr, at1(b, x, low), at1(b, x, off)));
  /* not of the rank alone */
  OPEN(spi_equal_on_each_rank(pr, at1(b, x, low), at1(b, x, k)));
}

/* Sums of x[k + from], k < n. */
static sp_expr block_sum(bench *b, sp_sym x, int64_t from, int64_t n) {
  sp_expr k = sp_fresh(b->p, n);
  return red1(b, SP_RED_SUM, k, at1(b, x, sp_iaddc(b->p, k, from)));
}

static void adjacent(bench *b) {
  sp_pool *p = b->p;
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 16);
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 1, 16);
  sp_num two = sp_num_from_i64(p, 2);
  sp_expr low = block_sum(b, x, 0, 4), high = block_sum(b, x, 4, 2);
  sp_expr last = block_sum(b, x, 6, 10), both = sp_add(p, high, low);
  CU_ASSERT_EQUAL(spi_adjacent_sums(p, sp_add(p, last, both)).v,
                  block_sum(b, x, 0, 16).v);
  CU_ASSERT_EQUAL(spi_adjacent_sums(p, sp_scale(p, both, two)).v,
                  sp_scale(p, block_sum(b, x, 0, 6), two).v);
  sp_expr more = sp_add(p, block_sum(b, y, 4, 2), sp_real_i64(p, 3));
  CU_ASSERT_EQUAL(spi_adjacent_sums(p, sp_add(p, both, more)).v,
                  sp_add(p, block_sum(b, x, 0, 6), more).v);
  /* a gap, an overlap, another tensor, another factor: as they are */
  const sp_expr apart[] = {sp_add(p, low, block_sum(b, x, 5, 2)),
                           sp_add(p, low, block_sum(b, x, 3, 2)),
                           sp_add(p, low, block_sum(b, y, 4, 2)),
                           sp_add(p, low, sp_scale(p, high, two)),
                           sp_add(p, low, more),
                           low};
  for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
    CU_ASSERT_EQUAL(spi_adjacent_sums(p, apart[i]).v, apart[i].v);
  }
}

/* The sum of x[m, k + from] over m < 3, k < n. */
static sp_expr rows_sum(bench *b, sp_sym x, int64_t from, int64_t n) {
  sp_expr m = sp_fresh(b->p, 3), k = sp_fresh(b->p, n);
  sp_expr at[2] = {m, sp_iaddc(b->p, k, from)};
  return red2(b, SP_RED_SUM, m, k, sp_read(b->p, x, at));
}

static void adjacent_blocks(bench *b) {
  sp_pool *p = b->p;
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 2, 16);
  sp_expr low = rows_sum(b, x, 0, 4), high = rows_sum(b, x, 4, 2);
  sp_expr all = rows_sum(b, x, 0, 6), both = sp_add(p, low, high);
  CU_ASSERT_EQUAL(spi_adjacent_sums(p, both).v, all.v);
  /* wherever they stand, and inside of each other's terms */
  sp_expr deep = sp_add(p, both, sp_exp(p, sp_mul(p, both, both)));
  CU_ASSERT_EQUAL(spi_adjacent_sums_inside(p, deep).v,
                  sp_add(p, all, sp_exp(p, sp_mul(p, all, all))).v);
  /* another number of rows, a gap */
  sp_expr m = sp_fresh(p, 2), k = sp_fresh(p, 2);
  sp_expr at[2] = {m, sp_iaddc(p, k, 4)};
  sp_expr less = red2(b, SP_RED_SUM, m, k, sp_read(p, x, at));
  const sp_expr apart[] = {sp_add(p, low, less),
                           sp_add(p, low, rows_sum(b, x, 5, 2))};
  for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
    CU_ASSERT_EQUAL(spi_adjacent_sums_inside(p, apart[i]).v, apart[i].v);
  }
}

/* s on rank `from`. */
static sp_expr on_rank(bench *b, sp_expr s, sp_expr r, sp_expr from) {
  return sp_subst(b->p, s, 1, &r, &from);
}

/* Blelloch's scan of blocks of four elements on 16 ranks; a left child takes
 * what lies before the node `off` beyond its own. */
static sp_expr scan(bench *b, sp_sym x, sp_expr r, int64_t off) {
  sp_pool *p = b->p;
  sp_expr k = sp_fresh(p, 4), after = sp_iaddc(p, r, 1);
  sp_expr at = sp_iadd(p, k, sp_iscale(p, r, 4));
  sp_expr s = red1(b, SP_RED_SUM, k, at1(b, x, at));
  for (int64_t h = 1; h < 16; h *= 2) {
    sp_expr node = sp_eq(p, sp_imod(p, after, 2 * h), sp_int(p, 0));
    sp_expr left = on_rank(b, s, r, sp_iaddc(p, r, -h));
    s = sp_ite(p, node, sp_add(p, s, left), s);
  }
  s = sp_ite(p, sp_eq(p, r, sp_int(p, 15)), sp_real_i64(p, 0), s);
  for (int64_t h = 8; h > 0; h /= 2) {
    sp_expr digit = sp_imod(p, after, 2 * h);
    sp_expr left = on_rank(b, s, r, sp_iaddc(p, r, -h));
    sp_expr above = on_rank(b, s, r, sp_iaddc(p, r, h + off));
    s = sp_ite(p, sp_eq(p, digit, sp_int(p, 0)), sp_add(p, s, left),
               sp_ite(p, sp_eq(p, digit, sp_int(p, h)), above, s));
  }
  return s;
}

static void trees_of_sums(bench *b) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, 64);
  sp_expr r = sp_var(p, SP_VAR_RANK, "r", 16), k = sp_fresh(p, 64);
  sp_expr before = sp_lt(p, k, sp_iscale(p, r, 4));
  sp_expr zero = sp_real_i64(p, 0);
  sp_expr want = red1(b, SP_RED_SUM, k, sp_ite(p, before, at1(b, x, k), zero));
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr right = scan(b, x, r, 0), wrong = scan(b, x, r, -1);
  PROVED(spi_shorter_by_rank(p, want, right));
  OPEN(spi_shorter_by_rank(p, want, want));
  PROVED(spi_equal_by_rank(pr, want, right, NONE));
  PROVED(equal(pr, want, right));
  OPEN(spi_equal_by_rank(pr, want, wrong, NONE));
  OPEN(equal(pr, want, wrong));
  /* wrong on the last rank alone: also where that is left out */
  sp_expr last = sp_eq(p, r, sp_int(p, 15)), others = sp_not(p, last);
  sp_expr but_last = sp_ite(p, last, zero, right);
  OPEN(spi_equal_by_rank(pr, want, but_last, NONE));
  PROVED(spi_equal_by_rank(pr, want, but_last, (sp_hyps){1, &others}));
  OPEN(spi_equal_by_rank(pr, want, but_last, (sp_hyps){1, &last}));
  sp_pool_mode(p, mode);
}

/* Blocks of four elements of y, each where its turn comes around the ring; the
 * block of step `off` is off by one element, step `gap` is left out. */
static sp_expr around(bench *b, sp_sym y, sp_expr i, int64_t off, int64_t gap) {
  sp_pool *p = b->p;
  sp_expr r = sp_var(p, SP_VAR_RANK, "r", 16), e = sp_real_i64(p, 0);
  for (int64_t s = 0; s < 16; s++) {
    sp_expr owner = sp_imod(p, sp_iaddc(p, r, s), 16);
    sp_expr in = sp_imod(p, sp_iaddc(p, i, s == off), 4);
    sp_expr block = at1(b, y, digits(b, owner, 4, in));
    sp_expr turn = sp_eq(p, owner, sp_idiv(p, i, 4));
    e = s == gap ? e : sp_ite(p, turn, block, e);
  }
  return e;
}

/* Eight blocks of two, each under its own sum; in place of block `off` the one
 * that is `step` before it. */
static sp_expr ring_of_sums(bench *b, sp_sym y, int64_t off, int64_t step) {
  sp_pool *p = b->p;
  sp_expr r = sp_var(p, SP_VAR_RANK, "r", 8), e = sp_real_i64(p, 0);
  for (int64_t s = 0; s < 8; s++) {
    sp_expr k = sp_fresh(p, 2);
    sp_expr owner = sp_imod(p, sp_iaddc(p, r, s == off ? s - step : s), 8);
    e = sp_add(p, e, red1(b, SP_RED_SUM, k, at1(b, y, digits(b, owner, 2, k))));
  }
  return e;
}

/* By counting, where there are as many elements as the whole has. */
static void many_pieces(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 1, 16);
  sp_expr k = sp_fresh(b->p, 16);
  sp_expr whole = red1(b, SP_RED_SUM, k, at1(b, y, k));
  PROVED(spi_pieces_equal(pr, whole, ring_of_sums(b, y, 5, 0), NONE));
  OPEN(spi_pieces_equal(pr, whole, ring_of_sums(b, y, 5, 1), NONE));
  OPEN(spi_pieces_equal(pr, whole, ring_of_sums(b, y, 7, 7), NONE));
}

static void cases(bench *b) {
  sp_prover *pr = prover(b);
  sp_sym y = tensor(b, "y", SP_SORT_REAL, 1, 64);
  sp_expr i = index_var(b, 64), want = at1(b, y, i);
  PROVED(spi_equal_by_cases(pr, want, around(b, y, i, -1, -1), NONE));
  OPEN(spi_equal_by_cases(pr, want, around(b, y, i, 5, -1), NONE));
  OPEN(spi_equal_by_cases(pr, want, around(b, y, i, -1, 5), NONE));
}

BENCH_TEST(neighbours_of_neighbours_are_neighbours, flatter_indices)
BENCH_TEST(partners_of_partners_are_partners, partners)
BENCH_TEST(what_holds_on_each_rank_holds, each_rank)
BENCH_TEST(reads_at_equal_places_on_each_rank_are_equal, on_each_rank)
BENCH_TEST(sums_over_neighbouring_ranges_are_one, adjacent)
BENCH_TEST(sums_over_neighbouring_blocks_are_one, adjacent_blocks)
BENCH_TEST(trees_of_sums_are_proved_rank_by_rank, trees_of_sums)
BENCH_TEST(many_pieces_are_counted, many_pieces)
BENCH_TEST(a_ring_writes_every_block, cases)

void suite_rules_ranks(void) {
  CU_pSuite s = CU_add_suite("rules_ranks", NULL, NULL);
#define ADD(t) CU_add_test(s, #t, t)
  ADD(neighbours_of_neighbours_are_neighbours);
  ADD(partners_of_partners_are_partners);
  ADD(what_holds_on_each_rank_holds);
  ADD(reads_at_equal_places_on_each_rank_are_equal);
  ADD(sums_over_neighbouring_ranges_are_one);
  ADD(sums_over_neighbouring_blocks_are_one);
  ADD(trees_of_sums_are_proved_rank_by_rank);
  ADD(many_pieces_are_counted);
  ADD(a_ring_writes_every_block);
#undef ADD
}
