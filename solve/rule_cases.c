/* rule_cases.c: a long choice, case by case. Read spi_equal_by_cases.
 *
 * LEMMA. Let e be ite(c_1, a_1, ite(c_2, a_2, ... z)). If c_s implies a_s = x
 * for each s, and z = x where none of the c_s holds, then e = x.
 *
 * What was put together block by block around a ring is such a choice, one case
 * a step. As one obligation it takes a solver exponentially long; here each
 * case is one, and so is that the cases leave nothing out. Cases of a ring are
 * (r + s) mod n = k, each with a remainder of its own; (k - r) mod n = s says
 * the same with one remainder in all of them; that it does is an obligation.
 */
#include "solve/prove.h"

enum { MIN_CASES = 8 };

/* The remainder in a sum of integers that equals 0, if it is there once or
 * minus once; its place in the sum. */
static bool remainder_in(const sp_pool *p, sp_expr sum, uint32_t *at) {
  for (uint32_t i = 0; i < sp_n_args(p, sum); i++) {
    int64_t by = sp_lin_coef(p, sum, i);
    if (sp_kind_of(p, sp_arg(p, sum, i)) == SP_KIND_MOD &&
        (by == 1 || by == -1)) {
      *at = i;
      return true;
    }
  }
  return false;
}

/* (x + s) mod n = k as (k - x) mod n = s; c itself where it is no such
 * condition, or where the two were not proved to say the same. */
static sp_expr aligned(sp_prover *pr, sp_expr c, sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  uint32_t at;
  if (sp_kind_of(p, c) != SP_KIND_EQ0 ||
      sp_kind_of(p, sp_arg(p, c, 0)) != SP_KIND_LIN ||
      !remainder_in(p, sp_arg(p, c, 0), &at)) {
    return c;
  }
  sp_expr sum = sp_arg(p, c, 0), mod = sp_arg(p, sum, at);
  int64_t n = sp_divisor(p, mod), by = sp_lin_coef(p, sum, at);
  sp_expr x = sp_arg(p, mod, 0);
  int64_t s = sp_kind_of(p, x) == SP_KIND_LIN ? sp_lin_const(p, x) : 0;
  x = sp_iaddc(p, x, -s);
  sp_expr k = sp_isub(p, sp_iscale(p, mod, by), sum);
  k = sp_iscale(p, k, by);
  int64_t rest = (s % n + n) % n;
  sp_expr better = sp_eq(p, sp_imod(p, sp_isub(p, k, x), n), sp_int(p, rest));
  sp_expr same =
      sp_and(p, sp_or(p, sp_not(p, c), better), sp_or(p, sp_not(p, better), c));
  return sp_prove_holds(pr, "cases: condition turned round", same, hyps)
             ? better
             : c;
}

/* The first case of e and what is left, the condition not negated; false when
 * e is no choice. */
static bool first_case(const sp_pool *p, sp_expr e, sp_expr *c, sp_expr *a,
                       sp_expr *rest) {
  if (sp_kind_of(p, e) != SP_KIND_ITE || sp_has_red(p, sp_arg(p, e, 0))) {
    return false;
  }
  *c = sp_arg(p, e, 0);
  bool negated = sp_kind_of(p, *c) == SP_KIND_NOT;
  *a = sp_arg(p, e, negated ? 2 : 1);
  *rest = sp_arg(p, e, negated ? 1 : 2);
  *c = negated ? sp_arg(p, *c, 0) : *c;
  return true;
}

static bool is_long(const sp_pool *p, sp_expr e) {
  sp_expr c, a;
  uint32_t n = 0;
  while (n < MIN_CASES && first_case(p, e, &c, &a, &e)) {
    n++;
  }
  return n == MIN_CASES;
}

bool spi_equal_by_cases(sp_prover *pr, sp_expr want, sp_expr got,
                        sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  if (!is_long(p, got)) {
    return false;
  }
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr some = sp_bool(p, false), c, a;
  bool ok = true;
  while (ok && first_case(p, got, &c, &a, &got)) {
    ok = sp_prove_equal(pr, want, a, spi_hyps_with(pr, hyps, c));
    some = ok ? sp_or(p, some, aligned(pr, c, hyps)) : some;
  }
  if (!sp_has_red(p, got) && !sp_has_red(p, want)) {
    some = sp_or(p, some, sp_eq(p, want, got));
  }
  ok = ok && sp_prove_holds(pr, "cases: none is left out", some, hyps);
  sp_pool_mode(p, mode);
  return ok;
}
