/* test_obligation_random.c: nothing is proved which evaluation contradicts.
 *
 * Random goals over tiny extents; whenever sp_prove says yes, sp_eval must say
 * true on the whole domain. Read proved_goals_evaluate_to_true first. Many
 * more goals with SHARDPROOF_LONG=1.
 */
#include "base/vec.h"
#include "tests/support_dumps.h"
#include "tests/support_prove.h"

#include <stdio.h>

void suite_obligation_random(void);

typedef struct fuzz {
  bench *b;
  uint64_t state;
  sp_expr vars[3];
  int64_t extents[3], values[3];
  sp_sym ints, reals, grid, table;
  SP_VEC(sp_expr) bound; /* fresh variables in scope */
  uint64_t world;        /* seed of the tensors' elements */
  uint64_t points;       /* evaluated */
} fuzz;

static uint32_t draw(fuzz *z, uint32_t n) {
  z->state = z->state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(z->state >> 33) % n;
}

static sp_expr random_int(fuzz *z, int depth);
static sp_expr random_real(fuzz *z, int depth);

static sp_expr random_bool(fuzz *z, int depth) {
  sp_pool *p = z->b->p;
  switch (depth <= 0 ? draw(z, 4) : draw(z, 7)) {
  case 0:
  case 1:
    return sp_lt(p, random_int(z, depth - 1), random_int(z, depth - 1));
  case 2:
    return sp_eq(p, random_int(z, depth - 1), random_int(z, depth - 1));
  case 3:
    return sp_eq(p, random_real(z, depth - 1), random_real(z, depth - 1));
  case 4:
    return sp_not(p, random_bool(z, depth - 1));
  case 5:
    return sp_lt(p, random_real(z, depth - 1), random_real(z, depth - 1));
  default:
    return sp_or(p, random_bool(z, depth - 1), random_bool(z, depth - 1));
  }
}

static sp_expr random_leaf(fuzz *z) {
  if (z->bound.n > 0 && draw(z, 2))
    return z->bound.v[draw(z, (uint32_t)z->bound.n)];
  if (draw(z, 4) == 0)
    return sp_int(z->b->p, (int64_t)draw(z, 7) - 2);
  return z->vars[draw(z, 3)];
}

static sp_expr random_int(fuzz *z, int depth) {
  sp_pool *p = z->b->p;
  if (depth <= 0)
    return random_leaf(z);
  sp_expr a = random_int(z, depth - 1);
  switch (draw(z, 10)) {
  case 0:
  case 1:
    return sp_iadd(p, a, random_int(z, depth - 1));
  case 2:
    return sp_iscale(p, a, (int64_t)draw(z, 5) - 2);
  case 3:
    return sp_idiv(p, a, 1 + draw(z, 4));
  case 4:
    return sp_imod(p, a, 1 + draw(z, 4));
  case 5:
    return sp_max(p, a, random_int(z, depth - 1));
  case 6:
    return sp_ite(p, random_bool(z, depth - 1), a, random_int(z, depth - 1));
  case 7:
    return sp_read(p, z->ints, &a);
  case 8:
    return sp_read(p, z->table, &a);
  default:
    return random_leaf(z);
  }
}

static sp_expr random_red(fuzz *z, int depth) {
  static const sp_red_op ops[] = {SP_RED_SUM, SP_RED_MAX, SP_RED_MIN};
  sp_pool *p = z->b->p;
  sp_expr k = sp_fresh(p, 1 + draw(z, 3));
  sp_push(z->b->ctx, &z->bound, k);
  sp_expr body = random_real(z, depth - 1);
  z->bound.n--;
  return sp_red(p, ops[draw(z, 3)], 1, &k, body);
}

static sp_expr random_real(fuzz *z, int depth) {
  sp_pool *p = z->b->p;
  sp_expr i = random_int(z, depth <= 1 ? 0 : 1);
  if (depth <= 0)
    return draw(z, 3) ? sp_read(p, z->reals, &i) : sp_real_i64(p, draw(z, 3));
  switch (draw(z, 8)) {
  case 0:
    return sp_add(p, random_real(z, depth - 1), random_real(z, depth - 1));
  case 1:
    return sp_mul(p, random_real(z, depth - 1), random_real(z, depth - 1));
  case 2:
    return sp_scale(p, random_real(z, depth - 1), sp_num_ratio(p, 1, 2));
  case 3:
    return sp_ite(p, random_bool(z, depth - 1), random_real(z, depth - 1),
                  random_real(z, depth - 1));
  case 4:
    return sp_i2r(p, i);
  case 5:
    return at2(z->b, z->grid, i, random_int(z, 1));
  case 6:
    return sp_max(p, random_real(z, depth - 1), random_real(z, depth - 1));
  default:
    return random_red(z, depth);
  }
}

static int64_t var_value(void *user, sp_expr v) {
  const fuzz *z = user;
  for (int i = 0; i < 3; i++)
    if (z->vars[i].v == v.v)
      return z->values[i];
  CU_FAIL("an unknown variable");
  return 0;
}

static uint64_t mixed(uint64_t h) {
  h *= 0xff51afd7ed558ccdu;
  return h ^ h >> 29;
}

/* Elements are small multiples of 1/4, so doubles are exact. */
static sp_value element(void *user, sp_sym s, uint32_t n, const int64_t *idx) {
  const fuzz *z = user;
  uint64_t h = z->world * 0x9e3779b97f4a7c15u + s.v;
  for (uint32_t i = 0; i < n; i++)
    h = mixed(h ^ (uint64_t)idx[i]);
  bool inside = idx[0] >= 0 && idx[0] < 4;
  sp_value v = {.sort = sp_sym_sort(z->b->p, s)};
  v.i = (int64_t)(h >> 40) % (inside ? 4 : 50); /* the range of ints is 0..3 */
  v.r = (double)((int64_t)(h >> 40) % 17 - 8) / 4;
  return v;
}

/* Whether the goal holds wherever the hypothesis does, in some worlds. */
static bool holds(fuzz *z, sp_expr hyp, sp_expr goal) {
  sp_eval_env env = {.user = z, .var = var_value, .read = element, .fn = NULL};
  for (z->world = 1; z->world <= 3; z->world++)
    for (z->values[0] = 0; z->values[0] < z->extents[0]; z->values[0]++)
      for (z->values[1] = 0; z->values[1] < z->extents[1]; z->values[1]++)
        for (z->values[2] = 0; z->values[2] < z->extents[2]; z->values[2]++) {
          sp_value h, g;
          env.budget = 1000000;
          if (!sp_eval(z->b->p, hyp, &env, &h) ||
              !sp_eval(z->b->p, goal, &env, &g))
            continue; /* out of budget, say */
          z->points++;
          if (h.b && !g.b)
            return false;
        }
  return true;
}

static void fuzz_begin(fuzz *z, uint64_t seed) {
  bench *b = z->b;
  z->state = seed * 2 + 1;
  for (int i = 0; i < 3; i++) {
    z->extents[i] = 1 + draw(z, 4);
    z->vars[i] = index_var(b, z->extents[i]);
  }
  z->ints = tensor(b, "ints", SP_SORT_INT, 1, 4);
  sp_sym_set_range(b->p, z->ints, 0, 3);
  z->reals = tensor(b, "reals", SP_SORT_REAL, 1, 4);
  z->grid = tensor(b, "grid", SP_SORT_REAL, 2, 4);
  int64_t n = 4, values[4];
  for (int i = 0; i < 4; i++)
    values[i] = draw(z, 5);
  z->table = sp_sym_table_int(b->p, SP_SORT_INT, 1, &n, values);
}

/* A chain of divisions by divisors that divide one another, or do not. */
static sp_expr random_digit(fuzz *z, sp_expr x) {
  static const int64_t divisors[] = {2, 2, 3, 4, 4, 6, 8, 12, 5};
  sp_pool *p = z->b->p;
  for (uint32_t n = 1 + draw(z, 4); n > 0; n--) {
    int64_t c = divisors[draw(z, 9)];
    switch (draw(z, 5)) {
    case 0:
    case 1:
      x = sp_idiv(p, x, c);
      break;
    case 2:
    case 3:
      x = sp_imod(p, x, c);
      break;
    default: {
      int64_t k = draw(z, 3) ? c : divisors[draw(z, 9)];
      x = sp_iadd(p, sp_iscale(p, sp_idiv(p, x, c), k), sp_imod(p, x, c));
      break;
    }
    }
  }
  return x;
}

/* k * v + ..., where a multiple of a divisor more makes another number of the
 * same rest. */
static sp_expr random_sum(fuzz *z, int64_t more) {
  sp_pool *p = z->b->p;
  sp_expr x = sp_int(p, (int64_t)draw(z, 41) - 20);
  for (uint32_t i = 0; i < 3; i++) {
    int64_t k = (int64_t)draw(z, 25) - 12;
    x = sp_iadd(p, x, sp_iscale(p, z->vars[i], k + more * draw(z, 2)));
  }
  return x;
}

/* How digits of one number hang together, negative numbers, too; or of two that
 * may differ in multiples of a divisor. */
static sp_expr digits_goal(fuzz *z) {
  sp_pool *p = z->b->p;
  sp_expr x, y;
  if (draw(z, 2)) {
    z->extents[0] = 97;
    z->vars[0] = index_var(z->b, 97);
    x = y = sp_iaddc(p, z->vars[0], draw(z, 2) ? 0 : -40);
  } else {
    uint64_t state = z->state;
    x = random_sum(z, 0);
    z->state = state;
    y = random_sum(z, draw(z, 2) ? 12 : 0);
    if (draw(z, 2)) {
      x = random_digit(z, x);
      x = sp_iadd(p, sp_iscale(p, x, 1 + draw(z, 12)), random_sum(z, 0));
    }
  }
  sp_expr a = random_digit(z, x), b = random_digit(z, y), c;
  if (draw(z, 2)) {
    /* the digits below and at a place make up the rest by the next place */
    int64_t fine = 2 + draw(z, 3), k = 2 + draw(z, 3);
    c = sp_imod(p, sp_idiv(p, x, fine), k);
    c = sp_iadd(p, sp_iscale(p, c, fine), sp_imod(p, x, fine));
    if (draw(z, 2))
      b = sp_iadd(p, b, sp_isub(p, c, sp_imod(p, x, fine * k)));
    else
      return sp_or(p, sp_eq(p, a, b), sp_eq(p, c, sp_imod(p, x, fine * k)));
  }
  return draw(z, 2) ? sp_eq(p, a, b) : sp_le(p, a, b);
}

/* A goal that is likely to be true: two copies of a term with one variable
 * replaced by an equal term, compared. */
static sp_expr likely(fuzz *z, sp_expr *hyp) {
  sp_pool *p = z->b->p;
  sp_expr e = random_real(z, 3);
  sp_expr v = z->vars[draw(z, 3)], value = random_int(z, 1);
  *hyp = sp_eq(p, v, value);
  if (draw(z, 3) == 0)
    *hyp = sp_le(p, v, value); /* now it does not follow */
  return sp_eq(p, e, sp_subst(p, e, 1, &v, &value));
}

static void proved_goals_evaluate_to_true(bench *b) {
  long rounds = long_mode() ? 60000 : 3000;
  uint64_t proved = 0, refuted = 0, wrong = 0, points = 0;
  for (long i = 0; i < rounds; i++) {
    fuzz z = {.b = b};
    fuzz_begin(&z, (uint64_t)i);
    sp_expr hyp = sp_bool(b->p, true), goal;
    uint32_t what = draw(&z, 4);
    if (what == 0) {
      goal = likely(&z, &hyp);
    } else if (what == 1) {
      goal = digits_goal(&z);
    } else {
      if (draw(&z, 2))
        hyp = random_bool(&z, 1);
      goal = random_bool(&z, (int)draw(&z, 3));
    }
    sp_answer a = implies(b, hyp, goal);
    proved += a == SP_PROVED;
    refuted += a == SP_REFUTED;
    if (a == SP_PROVED && !holds(&z, hyp, goal)) {
      wrong++;
      printf("  wrongly proved (%ld): %s => %s\n", i, sp_show(b->p, hyp),
             sp_show(b->p, goal));
    }
    /* nothing of digits is abstracted, so there a model is a fact */
    if (what == 1 && a != SP_PROVED &&
        (a == SP_UNKNOWN || holds(&z, hyp, goal))) {
      wrong++;
      printf("  wrong answer (%ld): %s\n", i, sp_show(b->p, goal));
    }
    points += z.points;
  }
  const sp_solver_stats *s = sp_solver_statistics(b->s);
  printf("  %lu proved, %lu not, %lu hits, %.3f ms each ",
         (unsigned long)proved, (unsigned long)refuted,
         (unsigned long)s->cache_hits, 1e3 * s->seconds / (double)s->distinct);
  CU_ASSERT_EQUAL(wrong, 0);
  CU_ASSERT(points > proved * 10);
  CU_ASSERT(proved * 20 > (uint64_t)rounds);
  CU_ASSERT(refuted * 20 > (uint64_t)rounds);
}

/* ---- the suite ---- */

BENCH_TEST(test_agreement, proved_goals_evaluate_to_true)

void suite_obligation_random(void) {
  CU_pSuite s = CU_add_suite("obligation_random", NULL, NULL);
  CU_add_test(s, "proved_goals_evaluate_to_true", test_agreement);
}
