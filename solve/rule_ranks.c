/* rule_ranks.c: for each rank by itself. Read spi_prove_by_rank.
 *
 * LEMMA. The rank is a variable of R values. What holds with each of the
 * numbers 0, ..., R - 1 written in its place, in the hypotheses, too, holds.
 *
 * With a number for the rank most indices of ranks are numbers, and a solver
 * need not find out which choices and remainders go together. That costs R
 * times the term, so it is for few ranks, and for what costs more otherwise.
 *
 * LEMMA. Two terms that are the same operations on parts which are equal, one
 * by one, are equal (congruence). So reads of one tensor are equal where their
 * indices are, and where these differ by what is computed of the rank alone,
 * that this is 0 is seen for each rank: it is a number then. Which digits of
 * ranks go together took a solver a second, or a hundredth, by chance.
 *
 * In a tree of sums (a scan) a rank chooses at each step by the digits of its
 * number whether it takes part. Written into each other these choices are many
 * and most of what they make is impossible; with a number for the rank none is
 * left, and neighbouring blocks are one (rule_adjacent.c).
 */
#include "solve/prove.h"
#include "solve/seen.h"

enum { MAX_RANKS = 1024, MAX_DIFFERENT = 8, MAX_DEEP = 8, MAX_SIZE = 60 };
/* Terms of LARGE and more that are SHORTER times as short with a number. */
enum { LARGE = 400, SHORTER = 6, MUCH = 1 << 20 };

sp_expr spi_rank_in(sp_pool *p, sp_expr e) {
  const sp_expr *vars;
  uint32_t n = sp_free_vars(p, e, &vars);
  for (uint32_t i = 0; i < n; i++) {
    if (sp_var_class_of(p, vars[i]) == SP_VAR_RANK &&
        sp_var_extent(p, vars[i]) <= MAX_RANKS) {
      return vars[i];
    }
  }
  return (sp_expr){0};
}

static sp_expr at_rank(sp_pool *p, sp_expr e, sp_expr rank, int64_t r) {
  sp_expr value = sp_int(p, r);
  return sp_subst(p, e, 1, &rank, &value);
}

sp_expr spi_at_each_rank(sp_pool *p, sp_expr goal) {
  sp_expr rank = spi_rank_in(p, goal), all = sp_bool(p, true);
  if (!rank.v) {
    return goal;
  }
  for (int64_t r = 0; r < sp_var_extent(p, rank); r++) {
    all = sp_and(p, all, at_rank(p, goal, rank, r));
  }
  return all;
}

bool spi_prove_by_rank(sp_prover *pr, const char *rule, sp_expr goal,
                       sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  sp_expr rank = spi_rank_in(p, goal);
  if (!rank.v) {
    return sp_prove_holds(pr, rule, goal, hyps);
  }
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr *v = sp_alloc_n(sp_pool_ctx(p), hyps.n + 1, sizeof *v);
  bool ok = true;
  for (int64_t r = 0; r < sp_var_extent(p, rank) && ok; r++) {
    for (uint32_t i = 0; i < hyps.n; i++) {
      v[i] = at_rank(p, hyps.v[i], rank, r);
    }
    ok = sp_prove_holds(pr, rule, at_rank(p, goal, rank, r),
                        (sp_hyps){hyps.n, v});
  }
  sp_pool_mode(p, mode);
  return ok;
}

/* Are choices by the rank most of the terms? The first rank and the last are
 * looked at. */
static bool is_shorter(sp_pool *p, sp_expr a, sp_expr b, sp_expr rank) {
  int64_t last = sp_var_extent(p, rank) - 1;
  uint32_t size = spi_term_size(p, a, MUCH) + spi_term_size(p, b, MUCH);
  if (size < LARGE) {
    return false;
  }
  for (int64_t r = 0; r <= last; r += last > 0 ? last : 1) {
    uint32_t most = size / SHORTER;
    if (spi_term_size(p, at_rank(p, a, rank, r), most) +
            spi_term_size(p, at_rank(p, b, rank, r), most) >=
        most) {
      return false;
    }
  }
  return true;
}

static sp_expr rank_of(sp_pool *p, sp_expr a, sp_expr b) {
  sp_expr rank = spi_rank_in(p, a);
  return rank.v ? rank : spi_rank_in(p, b);
}

bool spi_shorter_by_rank(sp_pool *p, sp_expr a, sp_expr b) {
  sp_expr rank = rank_of(p, a, b);
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  bool shorter = rank.v && is_shorter(p, a, b, rank);
  sp_pool_mode(p, mode);
  return shorter;
}

bool spi_equal_by_rank(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  sp_expr rank = rank_of(p, a, b);
  if (!rank.v) {
    return false;
  }
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr *v = sp_alloc_n(sp_pool_ctx(p), hyps.n + 1, sizeof *v);
  bool ok = true;
  for (int64_t r = 0; r < sp_var_extent(p, rank) && ok; r++) {
    for (uint32_t i = 0; i < hyps.n; i++) {
      v[i] = at_rank(p, hyps.v[i], rank, r);
    }
    sp_expr x = spi_adjacent_sums(p, at_rank(p, a, rank, r));
    sp_expr y = spi_adjacent_sums(p, at_rank(p, b, rank, r));
    ok = sp_prove_equal(pr, x, y, (sp_hyps){hyps.n, v});
  }
  sp_pool_mode(p, mode);
  return ok;
}

/* ---- terms that differ in what they make of the rank ---- */

typedef struct differences {
  sp_pool *p;
  uint32_t n;
  sp_expr v[MAX_DIFFERENT]; /* of the rank alone */
} differences;

static bool add_difference(differences *x, sp_expr a, sp_expr b) {
  sp_pool *p = x->p;
  const sp_expr *vars;
  sp_expr d = sp_isub(p, a, b);
  if (x->n == MAX_DIFFERENT || sp_has_read(p, d) || sp_has_red(p, d) ||
      sp_free_vars(p, d, &vars) != 1 || !spi_rank_in(p, d).v ||
      spi_term_size(p, d, MAX_SIZE) >= MAX_SIZE) {
    return false;
  }
  x->v[x->n++] = d;
  return true;
}

/* Are a and b equal if the differences, to which those in them are added, are
 * 0? */
static bool same_but_for(differences *x, sp_expr a, sp_expr b, int depth) {
  sp_pool *p = x->p;
  uint32_t n = sp_n_args(p, a);
  if (a.v == b.v) {
    return true;
  }
  if (sp_sort_of(p, a) != sp_sort_of(p, b) || depth == MAX_DEEP) {
    return false;
  }
  if (sp_sort_of(p, a) == SP_SORT_INT) {
    return add_difference(x, a, b);
  }
  if (sp_kind_of(p, a) != sp_kind_of(p, b) || n == 0 || n != sp_n_args(p, b) ||
      sp_kind_of(p, a) == SP_KIND_RED) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (!same_but_for(x, sp_arg(p, a, i), sp_arg(p, b, i), depth + 1)) {
      return false;
    }
  }
  /* the same operation: with the parts of b, a is b */
  sp_mark mark = sp_scratch_mark(sp_pool_ctx(p));
  sp_expr *args = sp_scratch(sp_pool_ctx(p), n * sizeof *args);
  for (uint32_t i = 0; i < n; i++) {
    args[i] = sp_arg(p, b, i);
  }
  bool same = sp_rebuild(p, a, args).v == b.v;
  sp_scratch_release(sp_pool_ctx(p), mark);
  return same;
}

/* d = 0 on each rank; false where it is another number on one. */
static sp_expr zero_on_each(sp_pool *p, sp_expr d) {
  sp_expr rank = spi_rank_in(p, d), zero = sp_int(p, 0), all = sp_bool(p, true);
  for (int64_t r = 0; r < sp_var_extent(p, rank) && !sp_is_false(p, all); r++) {
    all = sp_and(p, all, sp_eq(p, at_rank(p, d, rank, r), zero));
  }
  return all;
}

bool spi_equal_on_each_rank(sp_prover *pr, sp_expr a, sp_expr b) {
  sp_pool *p = sp_prover_pool(pr);
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  differences x = {.p = p};
  bool ok = same_but_for(&x, a, b, 0) && x.n > 0;
  for (uint32_t i = 0; i < x.n && ok; i++) {
    sp_expr all = zero_on_each(p, x.v[i]);
    ok = !sp_is_false(p, all) &&
         sp_prove_holds(pr, "equal on each rank", all, (sp_hyps){0});
  }
  sp_pool_mode(p, mode);
  return ok;
}
