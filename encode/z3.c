/* z3.c: read sp_z3_check, then make_term: one Z3 call for each term, in the
 * order of the vector, children first, so there is no recursion.
 */
#include "encode/z3.h"

#include <stdio.h>
#include <string.h>
#include <z3.h>

enum { MAX_ARRAY_DEPTH = 64 };

struct sp_z3 {
  sp_ctx *ctx;
  uint32_t timeout_ms;
  Z3_context z3;
  Z3_solver solver; /* keeps what it knows of terms; formulas are pushed */
  Z3_solver other;  /* begins anew with each formula */
  Z3_solver newer;  /* the same, and simplifies formulas before */
  Z3_sort base[3];
  Z3_sort array[3][MAX_ARRAY_DEPTH + 1]; /* by base and depth; depth 0 = base */
  SP_VEC(Z3_ast) terms;
  SP_VEC(Z3_func_decl) decls;
  SP_VEC(Z3_ast) args;
  SP_VEC(Z3_sort) sorts;
  uint64_t steps;   /* of all checks */
  uint32_t counted; /* what Z3 last said of them */
  char trouble[256];
};

/* Z3 exits the process when no handler is set. This one does nothing: after
 * each call the code is asked for. */
static void on_error(Z3_context c, Z3_error_code e) {
  (void)c;
  (void)e;
}

static bool failed(sp_z3 *z) {
  Z3_error_code e = Z3_get_error_code(z->z3);
  if (e == Z3_OK)
    return false;
  if (z->trouble[0] == '\0')
    snprintf(z->trouble, sizeof z->trouble, "Z3: %s",
             Z3_get_error_msg(z->z3, e));
  return true;
}

static void z3_free(void *arg) {
  sp_z3 *z = arg;
  if (z->solver != NULL)
    Z3_solver_dec_ref(z->z3, z->solver);
  if (z->other != NULL)
    Z3_solver_dec_ref(z->z3, z->other);
  if (z->newer != NULL)
    Z3_solver_dec_ref(z->z3, z->newer);
  if (z->z3 != NULL)
    Z3_del_context(z->z3);
}

/* Limits are in Z3's own measure of work, about so many steps a millisecond;
 * the clock stops what does not count its steps. */
enum { STEPS_PER_MS = 20000, CLOCK_SHARE = 3 };

/* How long an obligation takes is chance: the other solver often has at once
 * what takes one of them a second, and the other way round. So each gets a
 * little, and Z3's own choice of steps before solving, with the newer simplex,
 * a share of the limit: it begins slowly, but is not lost on permutations of
 * digits and choices between blocks. Then the first gets all of it.
 */
enum { FIRST_MS = 15, OTHER_MS = 45, NEWER_MS = 250, NEWER_SHARE = 20 };

static void set_params(sp_z3 *z, Z3_solver solver, uint32_t timeout_ms) {
  Z3_params p = Z3_mk_params(z->z3);
  Z3_params_inc_ref(z->z3, p);
  uint32_t ms = timeout_ms < UINT32_MAX / STEPS_PER_MS
                    ? timeout_ms
                    : UINT32_MAX / STEPS_PER_MS;
  Z3_params_set_uint(z->z3, p, Z3_mk_string_symbol(z->z3, "rlimit"),
                     ms * STEPS_PER_MS);
  if (ms != 0)
    Z3_params_set_uint(z->z3, p, Z3_mk_string_symbol(z->z3, "timeout"),
                       ms * CLOCK_SHARE);
  /* the older simplex: faster on quotients and rests (docs/obligations.md) */
  Z3_params_set_uint(z->z3, p, Z3_mk_string_symbol(z->z3, "arith.solver"),
                     solver == z->newer ? 6 : 2);
  /* the process' signal handlers are not ours to change */
  Z3_params_set_bool(z->z3, p, Z3_mk_string_symbol(z->z3, "ctrl_c"), false);
  Z3_solver_set_params(z->z3, solver, p);
  Z3_params_dec_ref(z->z3, p);
}

void sp_z3_limit(sp_z3 *z, uint32_t timeout_ms) {
  z->timeout_ms = timeout_ms;
}

sp_z3 *sp_z3_new(sp_ctx *ctx, uint32_t timeout_ms) {
  sp_z3 *z = sp_alloc(ctx, sizeof *z);
  z->ctx = ctx;
  sp_ctx_on_free(ctx, z3_free, z);
  Z3_config config = Z3_mk_config();
  Z3_set_param_value(config, "model", "false");
  z->z3 = Z3_mk_context_rc(config);
  Z3_del_config(config);
  Z3_set_error_handler(z->z3, on_error);
  z->base[SP_SORT_INT] = Z3_mk_int_sort(z->z3);
  z->base[SP_SORT_REAL] = Z3_mk_real_sort(z->z3);
  z->base[SP_SORT_BOOL] = Z3_mk_bool_sort(z->z3);
  for (int b = 0; b < 3; b++) {
    Z3_inc_ref(z->z3, Z3_sort_to_ast(z->z3, z->base[b]));
    z->array[b][0] = z->base[b];
  }
  z->solver = Z3_mk_simple_solver(z->z3);
  Z3_solver_inc_ref(z->z3, z->solver);
  z->other = Z3_mk_simple_solver(z->z3);
  Z3_solver_inc_ref(z->z3, z->other);
  z->newer = Z3_mk_solver(z->z3);
  Z3_solver_inc_ref(z->z3, z->newer);
  z->timeout_ms = timeout_ms;
  return z;
}

static Z3_sort sort_of(sp_z3 *z, sp_smt_sort s) {
  if (s.depth > MAX_ARRAY_DEPTH) {
    snprintf(z->trouble, sizeof z->trouble, "more than %d coordinates",
             MAX_ARRAY_DEPTH);
    return NULL;
  }
  Z3_sort *row = z->array[s.base];
  for (uint32_t d = 1; d <= s.depth; d++)
    if (row[d] == NULL) {
      row[d] = Z3_mk_array_sort(z->z3, z->base[SP_SORT_INT], row[d - 1]);
      Z3_inc_ref(z->z3, Z3_sort_to_ast(z->z3, row[d]));
    }
  return row[s.depth];
}

static bool make_decl(sp_z3 *z, const sp_formula *f, uint32_t i) {
  const sp_smt_decl *d = &f->decls.v[i];
  Z3_sort result = sort_of(z, d->result);
  if (result == NULL)
    return false;
  z->sorts.n = 0;
  for (uint32_t k = 0; k < d->n_args; k++) {
    Z3_sort s = sort_of(z, f->sorts.v[d->first + k]);
    if (s == NULL)
      return false;
    sp_push(z->ctx, &z->sorts, s);
  }
  /* numbered names: Z3 shares them between formulas */
  Z3_symbol name = Z3_mk_int_symbol(z->z3, (int)i);
  Z3_func_decl made =
      Z3_mk_func_decl(z->z3, name, d->n_args, z->sorts.v, result);
  if (failed(z))
    return false;
  Z3_inc_ref(z->z3, Z3_func_decl_to_ast(z->z3, made));
  sp_push(z->ctx, &z->decls, made);
  return true;
}

static Z3_ast make_term(sp_z3 *z, const sp_formula *f, uint32_t t) {
  Z3_context c = z->z3;
  uint32_t n = sp_smt_n_args(f, t);
  z->args.n = 0;
  for (uint32_t i = 0; i < n; i++)
    sp_push(z->ctx, &z->args, z->terms.v[sp_smt_arg(f, t, i)]);
  Z3_ast *a = z->args.v;
  switch (sp_smt_op_of(f, t)) {
  case SP_SMT_INT:
    return Z3_mk_int64(c, sp_smt_int_value(f, t), z->base[SP_SORT_INT]);
  case SP_SMT_REAL:
    return Z3_mk_numeral(c, sp_smt_real_text(f, t), z->base[SP_SORT_REAL]);
  case SP_SMT_TRUE:
    return Z3_mk_true(c);
  case SP_SMT_FALSE:
    return Z3_mk_false(c);
  case SP_SMT_APP:
    return Z3_mk_app(c, z->decls.v[sp_smt_decl_of(f, t)], n, a);
  case SP_SMT_SELECT:
    return Z3_mk_select(c, a[0], a[1]);
  case SP_SMT_ADD:
    return Z3_mk_add(c, n, a);
  case SP_SMT_MUL:
    return Z3_mk_mul(c, n, a);
  case SP_SMT_LE:
    return Z3_mk_le(c, a[0], a[1]);
  case SP_SMT_LT:
    return Z3_mk_lt(c, a[0], a[1]);
  case SP_SMT_EQ:
    return Z3_mk_eq(c, a[0], a[1]);
  case SP_SMT_NOT:
    return Z3_mk_not(c, a[0]);
  case SP_SMT_AND:
    return Z3_mk_and(c, n, a);
  case SP_SMT_OR:
    return Z3_mk_or(c, n, a);
  case SP_SMT_IMPLIES:
    return Z3_mk_implies(c, a[0], a[1]);
  case SP_SMT_ITE:
    return Z3_mk_ite(c, a[0], a[1], a[2]);
  case SP_SMT_TO_REAL:
    return Z3_mk_int2real(c, a[0]);
  }
  return NULL;
}

static bool make_all(sp_z3 *z, const sp_formula *f) {
  for (uint32_t i = 0; i < f->decls.n; i++)
    if (!make_decl(z, f, i))
      return false;
  for (uint32_t t = 0; t < sp_formula_size(f); t++) {
    Z3_ast made = make_term(z, f, t);
    if (failed(z) || made == NULL)
      return false;
    Z3_inc_ref(z->z3, made);
    sp_push(z->ctx, &z->terms, made);
  }
  return true;
}

static bool put(sp_z3 *z, Z3_solver solver, const sp_formula *f) {
  for (size_t i = 0; i < f->asserts.n; i++) {
    Z3_solver_assert(z->z3, solver, z->terms.v[f->asserts.v[i].v]);
    if (failed(z))
      return false;
  }
  return true;
}

/* Z3 counts them in 32 bits, from the beginning of its context. */
static void count_steps(sp_z3 *z, Z3_solver solver) {
  Z3_stats stats = Z3_solver_get_statistics(z->z3, solver);
  if (failed(z) || stats == NULL)
    return;
  Z3_stats_inc_ref(z->z3, stats);
  for (unsigned i = Z3_stats_size(z->z3, stats); i-- > 0;) {
    if (strcmp(Z3_stats_get_key(z->z3, stats, i), "rlimit count") == 0) {
      uint32_t count = Z3_stats_get_uint_value(z->z3, stats, i);
      z->steps += (uint32_t)(count - z->counted);
      z->counted = count;
      break;
    }
  }
  Z3_stats_dec_ref(z->z3, stats);
}

static sp_z3_answer attempt(sp_z3 *z, Z3_solver solver, const sp_formula *f,
                            uint32_t limit_ms) {
  set_params(z, solver, limit_ms);
  z->trouble[0] = '\0';
  if (solver == z->solver)
    Z3_solver_push(z->z3, solver);
  Z3_lbool r = Z3_L_UNDEF;
  if (put(z, solver, f)) {
    r = Z3_solver_check(z->z3, solver);
    if (failed(z))
      r = Z3_L_UNDEF;
  }
  if (r == Z3_L_UNDEF && z->trouble[0] == '\0') {
    const char *why = Z3_solver_get_reason_unknown(z->z3, solver);
    bool stopped = strcmp(why, "timeout") == 0 ||
                   strcmp(why, "canceled") == 0 ||
                   strstr(why, "resource limit") != NULL;
    snprintf(z->trouble, sizeof z->trouble, "%s", stopped ? "timeout" : why);
  }
  count_steps(z, solver);
  if (solver == z->solver)
    Z3_solver_pop(z->z3, solver, 1);
  if (solver != z->solver || failed(z))
    Z3_solver_reset(z->z3, solver);
  return r == Z3_L_FALSE  ? SP_Z3_UNSAT
         : r == Z3_L_TRUE ? SP_Z3_SAT
                          : SP_Z3_UNKNOWN;
}

/* What ends an attempt early says nothing of the obligation: a clock may stop
 * Z3 anywhere, and it calls that by many names. */
static sp_z3_answer ask(sp_z3 *z, const sp_formula *f) {
  uint32_t all = z->timeout_ms;
  sp_z3_answer answer = SP_Z3_UNKNOWN;
  if (all == 0 || all > OTHER_MS) {
    answer = attempt(z, z->solver, f, FIRST_MS);
    if (answer == SP_Z3_UNKNOWN)
      answer = attempt(z, z->other, f, OTHER_MS);
    if (answer == SP_Z3_UNKNOWN)
      answer = attempt(z, z->newer, f, all ? all / NEWER_SHARE + 1 : NEWER_MS);
  }
  return answer == SP_Z3_UNKNOWN ? attempt(z, z->solver, f, all) : answer;
}

static void let_go(sp_z3 *z) {
  for (size_t i = z->terms.n; i-- > 0;)
    Z3_dec_ref(z->z3, z->terms.v[i]);
  for (size_t i = z->decls.n; i-- > 0;)
    Z3_dec_ref(z->z3, Z3_func_decl_to_ast(z->z3, z->decls.v[i]));
  z->terms.n = 0;
  z->decls.n = 0;
}

sp_z3_answer sp_z3_check(sp_z3 *z, const sp_formula *f) {
  z->trouble[0] = '\0';
  let_go(z); /* what an allocation failure may have left */
  sp_z3_answer answer = SP_Z3_UNKNOWN;
  if (make_all(z, f))
    answer = ask(z, f);
  let_go(z);
  return answer;
}

uint64_t sp_z3_steps(const sp_z3 *z) {
  return z->steps;
}

const char *sp_z3_trouble(const sp_z3 *z) {
  return z->trouble;
}
