/* test_cover.c: the images of many maps are all of a range
 * (solve/rule_cover.c), with broken twins, and against all points of small
 * ranges.
 */
#include "tests/support_rules.h"

void suite_cover(void);

/* ---- sums over the columns of threads ---- */

enum { THREADS = 16, COLUMNS = 8, ALL = THREADS * COLUMNS };

/* How the columns of threads are added up: those of thread r + s in step s (s
 * if it is not around), apart by stride; but for the step `off` it is thread r
 * + s + by. The columns of the step `moved` are one further on. */
typedef struct plan {
  int64_t stride, steps, off, by, moved;
} plan;

static sp_expr columns(bench *b, sp_red_op op, sp_sym x, plan t) {
  sp_pool *p = b->p;
  sp_expr r = sp_var(p, SP_VAR_RANK, "r", THREADS), e = {0};
  for (int64_t s = 0; s < t.steps; s++) {
    sp_expr k = sp_fresh(p, COLUMNS);
    int64_t from = s == t.off ? s + t.by : s;
    sp_expr thread = sp_imod(p, sp_iaddc(p, r, from), THREADS);
    sp_expr at =
        sp_iadd(p, sp_iscale(p, k, t.stride),
                t.stride == 1 ? sp_iscale(p, thread, COLUMNS) : thread);
    at = sp_iaddc(p, at, s == t.moved);
    sp_expr own = sp_red(p, op, 1, &k, at1(b, x, at));
    e = !e.v ? own : op == SP_RED_SUM ? sp_add(p, e, own) : sp_max(p, e, own);
  }
  return e;
}

static void threads_of(bench *b, sp_red_op op) {
  sp_prover *pr = prover(b);
  sp_sym x = tensor(b, "x", SP_SORT_REAL, 1, ALL);
  sp_expr k = sp_fresh(b->p, ALL);
  sp_expr whole = sp_red(b->p, op, 1, &k, at1(b, x, k));
  for (int64_t stride = 1; stride <= THREADS; stride += THREADS - 1) {
    const plan right = {stride, THREADS, -1, 0, -1};
    plan twice = right, missing = right, moved = right;
    twice.off = 5;
    twice.by = 3;
    missing.steps--;
    moved.moved = 7;
    PROVED(spi_pieces_equal(pr, whole, columns(b, op, x, right), NONE));
    OPEN(spi_pieces_equal(pr, whole, columns(b, op, x, twice), NONE));
    OPEN(spi_pieces_equal(pr, whole, columns(b, op, x, missing), NONE));
    OPEN(spi_pieces_equal(pr, whole, columns(b, op, x, moved), NONE));
  }
}

static void sums(bench *b) {
  threads_of(b, SP_RED_SUM);
}

static void maxima(bench *b) {
  threads_of(b, SP_RED_MAX);
}

/* ---- maps ---- */

/* Two maps of two variables into numbers below 24, or into 4 x 2 where `second`
 * is not 0. */
static bool two(bench *b, sp_prover *pr, const sp_expr *var, sp_expr low,
                sp_expr high, sp_expr second) {
  sp_pool *p = b->p;
  sp_expr k[] = {sp_fresh(p, second.v ? 4 : 24), sp_fresh(p, 2)};
  sp_expr a[] = {low, second}, c[] = {high, second};
  spi_range range = {second.v ? 2 : 1, k};
  spi_image maps[] = {{2, var, a}, {2, var, c}};
  return spi_images_cover(pr, "cover", &range, 2, maps, NONE);
}

static void forms(bench *b) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  sp_expr v = sp_fresh(p, 4), u = sp_fresh(p, 3), none = {0};
  sp_expr u2 = sp_fresh(p, 2), one = sp_fresh(p, 1);
  sp_expr vu[] = {v, u}, small[] = {v, u2}, alone[] = {sp_fresh(p, 12), one};
  /* u + 3 * [0 or 1] + 6 v: the gap is between them */
  sp_expr low = sp_iadd(p, u, sp_iscale(p, v, 6)), high = sp_iaddc(p, low, 3);
  PROVED(two(b, pr, vu, low, high, none));
  OPEN(two(b, pr, vu, low, low, none));
  OPEN(two(b, pr, vu, low, sp_iaddc(p, low, 2), none));
  /* one form is not the other's, though the rests are right */
  sp_expr other = sp_iadd(p, v, sp_iscale(p, u, 8));
  OPEN(two(b, pr, vu, low, sp_iaddc(p, other, 3), none));
  /* 5 v is no digit; 2 u2 is short of 6 v */
  sp_expr five = sp_iadd(p, u, sp_iscale(p, v, 5));
  OPEN(two(b, pr, vu, five, sp_iaddc(p, five, 3), none));
  sp_expr even = sp_iadd(p, sp_iscale(p, u, 2), sp_iscale(p, v, 6));
  PROVED(two(b, pr, vu, even, sp_iaddc(p, even, 1), none));
  sp_expr few = sp_iadd(p, sp_iscale(p, u2, 2), sp_iscale(p, v, 6));
  OPEN(two(b, pr, small, few, sp_iaddc(p, few, 1), none));
  /* a variable of one value is no digit */
  sp_expr twice = sp_iscale(p, alone[0], 2), five_more = sp_iscale(p, one, 5);
  sp_expr same = sp_iadd(p, twice, five_more);
  PROVED(two(b, pr, alone, same, sp_iaddc(p, twice, 1), none));
}

/* In two dimensions each variable is a digit of one. */
static void dimensions(bench *b) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  sp_expr u = sp_fresh(p, 2), v = sp_fresh(p, 2), both[] = {u, v};
  sp_expr half = sp_iscale(p, u, 2), next = sp_iaddc(p, half, 1);
  PROVED(two(b, pr, both, half, next, v));
  OPEN(two(b, pr, both, half, half, v));
  OPEN(two(b, pr, both, half, next, u));
  /* (2 u, v), (2 u + 1, v) and (2 u, v), (2 u + 1, 0) */
  sp_expr k[] = {sp_fresh(p, 4), sp_fresh(p, 2)};
  sp_expr a[] = {half, v}, c[] = {next, v}, d[] = {next, sp_int(p, 0)};
  spi_range range = {2, k};
  spi_image right[] = {{2, both, a}, {2, both, c}};
  spi_image short_of[] = {{2, both, a}, {2, both, d}};
  PROVED(spi_images_cover(pr, "cover", &range, 2, right, NONE));
  OPEN(spi_images_cover(pr, "cover", &range, 2, short_of, NONE));
  OPEN(spi_images_cover(pr, "cover", &range, 0, right, NONE));
}

/* Of the numbers below 8, v + 2 u + 4 v and u + 2 v + 4 (1 - v) leave out 1 and
 * 6, though one of v and 1 - v is 0, one is 1; without these terms at the end
 * all are met by 0 and 4. */
static void rests(bench *b) {
  sp_prover *pr = prover(b);
  sp_pool *p = b->p;
  sp_expr u = sp_fresh(p, 2), v = sp_fresh(p, 2), both[] = {u, v};
  sp_expr k = sp_fresh(p, 8);
  spi_range range = {1, &k};
  sp_expr low = sp_iadd(p, v, sp_iscale(p, u, 2));
  sp_expr high = sp_iadd(p, u, sp_iscale(p, v, 2));
  for (int64_t is = 0; is <= 1; is++) {
    sp_expr bit = is ? sp_imod(p, sp_iaddc(p, v, 2), 2) : sp_int(p, 0);
    sp_expr flipped = sp_isub(p, sp_int(p, 1), bit);
    sp_expr first = sp_iadd(p, low, sp_iscale(p, bit, 4));
    sp_expr other = sp_iadd(p, high, sp_iscale(p, flipped, 4));
    spi_image maps[] = {{2, both, &first}, {2, both, &other}};
    bool ok = spi_images_cover(pr, "cover", &range, 2, maps, NONE);
    CU_ASSERT_EQUAL(ok, !is);
  }
}

/* ---- against all points ---- */

enum { SIZE = 24, MAPS = 8, ROUNDS = 3000 };

typedef struct random {
  uint64_t state;
} random;

static int64_t below(random *r, int64_t n) {
  r->state = r->state * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)((r->state >> 33) % (uint64_t)n);
}

/* Maps of v and u, a v + c u + rest. */
typedef struct drawn {
  int64_t extent[2], place[2], rest[MAPS];
  uint32_t n;
} drawn;

/* A digit of v, one of u and their gaps, most often right. */
static drawn draw(random *r) {
  static const int64_t splits[][3] = {{2, 3, 4}, {4, 3, 2}, {3, 8, 1},
                                      {8, 3, 1}, {2, 2, 6}, {3, 4, 2}};
  const int64_t *f = splits[below(r, 6)];
  int64_t place[] = {1, f[0], f[0] * f[1]};
  int64_t gap = below(r, 3), at = 0;
  drawn d = {.n = (uint32_t)f[gap]};
  for (int64_t i = 0; i < 3; i++) {
    if (i != gap) {
      d.extent[at] = f[i];
      d.place[at++] = place[i];
    }
  }
  for (uint32_t i = 0; i < d.n; i++) {
    d.rest[i] = place[gap] * (int64_t)((i + 1) % d.n);
  }
  switch (below(r, 4)) {
  case 0:
    d.rest[below(r, d.n)] += below(r, 3) - 1;
    break;
  case 1:
    d.place[below(r, 2)] = below(r, SIZE);
    break;
  case 2:
    d.extent[below(r, 2)] = 1 + below(r, 8);
    break;
  default:
    break;
  }
  return d;
}

static bool covers(const drawn *d) {
  bool met[SIZE] = {false}, all = true;
  for (uint32_t i = 0; i < d->n; i++) {
    for (int64_t v = 0; v < d->extent[0]; v++) {
      for (int64_t u = 0; u < d->extent[1]; u++) {
        int64_t at = v * d->place[0] + u * d->place[1] + d->rest[i];
        if (at >= 0 && at < SIZE) {
          met[at] = true;
        }
      }
    }
  }
  for (int64_t k = 0; k < SIZE; k++) {
    all = all && met[k];
  }
  return all;
}

static bool proved(bench *b, sp_prover *pr, const drawn *d) {
  sp_pool *p = b->p;
  sp_expr k = sp_fresh(p, SIZE), map[MAPS];
  sp_expr var[] = {sp_fresh(p, d->extent[0]), sp_fresh(p, d->extent[1])};
  spi_image images[MAPS];
  for (uint32_t i = 0; i < d->n; i++) {
    map[i] = sp_iadd(p, sp_iscale(p, var[0], d->place[0]),
                     sp_iscale(p, var[1], d->place[1]));
    map[i] = sp_iaddc(p, map[i], d->rest[i]);
    images[i] = (spi_image){2, var, &map[i]};
  }
  spi_range range = {1, &k};
  return spi_images_cover(pr, "cover", &range, d->n, images, NONE);
}

static void proved_is_so(bench *b) {
  sp_prover *pr = prover(b);
  random r = {1};
  int yes = 0, no = 0, wrong = 0;
  for (int i = 0; i < ROUNDS; i++) {
    drawn d = draw(&r);
    bool so = covers(&d);
    no += !so;
    if (proved(b, pr, &d)) {
      yes++;
      wrong += !so;
    }
  }
  CU_ASSERT_EQUAL(wrong, 0);
  CU_ASSERT_TRUE(yes > ROUNDS / 4 && no > ROUNDS / 4);
}

BENCH_TEST(each_column_is_of_one_thread, sums)
BENCH_TEST(a_maximum_needs_all_columns, maxima)
BENCH_TEST(maps_have_the_digits_of_a_number, forms)
BENCH_TEST(each_dimension_has_its_digits, dimensions)
BENCH_TEST(what_is_added_is_no_digit, rests)
BENCH_TEST(what_is_proved_to_be_covered_is, proved_is_so)

void suite_cover(void) {
  CU_pSuite s = CU_add_suite("cover", NULL, NULL);
  CU_ADD_TEST(s, each_column_is_of_one_thread);
  CU_ADD_TEST(s, a_maximum_needs_all_columns);
  CU_ADD_TEST(s, maps_have_the_digits_of_a_number);
  CU_ADD_TEST(s, each_dimension_has_its_digits);
  CU_ADD_TEST(s, what_is_added_is_no_digit);
  CU_ADD_TEST(s, what_is_proved_to_be_covered_is);
}
