/* expr.h: index expressions: hash-consed terms and their smart constructors.
 *
 * CONTRACT. A tensor element is one term over a dozen node kinds. Terms live
 * in a pool, are immutable and hash-consed: equal ids if and only if equal
 * terms. Constructors check sorts (assert) and, in the pool's normal mode,
 * simplify: every rewrite preserves the value for all values of variables
 * within their extents and of reads within their ranges (over the integers
 * and the reals; see docs/soundness.md for infinities and division). In raw
 * mode (sp_pool_raw) constructors only flatten and sort sums and products;
 * obligations are stated over raw terms so that the index simplifier need not
 * be believed. Reductions bind variables; bound variables have canonical names
 * (height of the binder, position), so equal reductions are the same node.
 * Integers are mathematical integers; a result that does not fit 64 bits
 * raises SP_ERR_LIMIT. No function here knows operators, tensors of programs
 * or Z3.
 */
#ifndef SP_ENCODE_EXPR_H
#define SP_ENCODE_EXPR_H

#include "base/ctx.h"

typedef struct sp_pool sp_pool;
typedef struct sp_expr {
  uint32_t v; /* 0 = none */
} sp_expr;
typedef struct sp_num {
  uint32_t v; /* an exact rational of the pool; equal ids iff equal */
} sp_num;
typedef struct sp_sym {
  uint32_t v; /* a tensor symbol of the pool; 0 = none */
} sp_sym;

typedef enum sp_sort { SP_SORT_INT, SP_SORT_REAL, SP_SORT_BOOL } sp_sort;

typedef enum sp_kind {
  /* integers */
  SP_KIND_INT, /* sp_int_value */
  SP_KIND_VAR, /* sp_var_*: 0 <= v < extent */
  SP_KIND_LIN, /* sp_lin_const + sum sp_lin_coef(i) * arg(i) */
  SP_KIND_DIV, /* floor(arg / c), c = sp_divisor > 0 */
  SP_KIND_MOD, /* arg - c * floor(arg / c), in [0, c) */
  /* any sort */
  SP_KIND_READ, /* sp_read_sym at args (all INT) */
  SP_KIND_ITE,  /* args cond, then, else */
  SP_KIND_MAX,  /* n >= 2 args, INT or REAL */
  SP_KIND_MIN,
  SP_KIND_FN,  /* named function sp_fn_name of args of any sorts */
  SP_KIND_RED, /* sp_red_op over sp_red_n_vars bound variables; last arg is
                  the body, the args before it the variables */
  /* reals */
  SP_KIND_NUM, /* sp_num_value */
  SP_KIND_INF, /* plus infinity, minus if sp_inf_negative */
  SP_KIND_ADD, /* sp_add_const + sum sp_add_coef(i) * arg(i) */
  SP_KIND_MUL, /* n >= 2 factors, no NUM among them */
  SP_KIND_I2R, /* the integer arg as a real */
  /* booleans */
  SP_KIND_BOOL, /* sp_bool_value */
  SP_KIND_LT0,  /* INT arg < 0 */
  SP_KIND_EQ0,  /* INT arg == 0 */
  SP_KIND_RLT,  /* REAL arg0 < arg1 */
  SP_KIND_REQ,  /* REAL arg0 == arg1 */
  SP_KIND_NOT,
  SP_KIND_OR, /* n >= 2 sorted args; AND is NOT OR NOT */
} sp_kind;

typedef enum sp_red_op {
  SP_RED_SUM,
  SP_RED_PROD,
  SP_RED_MAX,
  SP_RED_MIN,
  SP_RED_OR,
  SP_RED_AND,
  /* The function itself, k -> body: argument of opaque functions (sort, ...).
   * Equal only point by point; no re-indexing, no dropping of variables. */
  SP_RED_LAMBDA,
} sp_red_op;

/* A number: i for INT, b for BOOL, r for REAL. */
typedef struct sp_value {
  sp_sort sort;
  int64_t i;
  double r;
  bool b;
} sp_value;

/* What a variable stands for; only printing and heuristics look at it. */
typedef enum sp_var_class {
  SP_VAR_INDEX, /* a tensor coordinate */
  SP_VAR_RANK,  /* the rank (an outer coordinate) */
  SP_VAR_STEP,  /* step of a loop (an outer coordinate) */
  SP_VAR_FRESH, /* an opened bound variable */
  SP_VAR_BOUND, /* canonical bound variable: only under its binder */
} sp_var_class;

sp_pool *sp_pool_new(sp_ctx *ctx);
sp_ctx *sp_pool_ctx(const sp_pool *p);
/* How much constructors rewrite. RAW_INDEX is what obligations are stated in:
 * conditions and indices stay as the operators give them, but for arithmetic
 * on constants and double negation, so that the index simplifier need not be
 * believed; reals and reductions are in normal form
 * (the reduction rules of docs/soundness.md, "Real rewrites", are believed). */
typedef enum sp_mode {
  SP_MODE_NORMAL,
  SP_MODE_RAW_INDEX,
  SP_MODE_RAW,    /* reals and reductions as they are given, too */
  SP_MODE_NUMBERS /* reals as in RAW, the rest as in NORMAL: for running */
} sp_mode;
sp_mode sp_pool_mode(sp_pool *p, sp_mode mode); /* returns what it was */
/* In RAW and NUMBERS reals are those of computers, with NaN: nothing cancels,
 * 0 x is not 0, and of x < y, x = y, x > y none may hold. Else there is no NaN
 * but the constant; what is computed of that is it again. */
bool sp_pool_has_nan(const sp_pool *p);
/* RAW or NORMAL; returns whether it was not NORMAL. */
bool sp_pool_raw(sp_pool *p, bool raw);
size_t sp_pool_size(const sp_pool *p); /* terms so far */
/* Assumptions that rewrites used ("where a denominator cancels, it is not
 * zero"): each sentence once, for the report. */
void sp_pool_note(sp_pool *p, const char *sentence);
size_t sp_pool_notes(sp_pool *p, const char *const **sentences);

/* ---- looking at terms ---- */
sp_kind sp_kind_of(const sp_pool *p, sp_expr e);
sp_sort sp_sort_of(const sp_pool *p, sp_expr e);
uint32_t sp_n_args(const sp_pool *p, sp_expr e);
sp_expr sp_arg(const sp_pool *p, sp_expr e, uint32_t i);
int64_t sp_int_value(const sp_pool *p, sp_expr e);
bool sp_bool_value(const sp_pool *p, sp_expr e);
int64_t sp_lin_const(const sp_pool *p, sp_expr e);
int64_t sp_lin_coef(const sp_pool *p, sp_expr e, uint32_t i);
int64_t sp_divisor(const sp_pool *p, sp_expr e); /* DIV, MOD */
sp_sym sp_read_sym(const sp_pool *p, sp_expr e);
const char *sp_fn_name(const sp_pool *p, sp_expr e); /* interned */
sp_red_op sp_red_op_of(const sp_pool *p, sp_expr e);
uint32_t sp_red_n_vars(const sp_pool *p, sp_expr e);
sp_expr sp_red_body(const sp_pool *p, sp_expr e);
sp_num sp_num_value(const sp_pool *p, sp_expr e); /* NUM */
bool sp_inf_negative(const sp_pool *p, sp_expr e);
sp_num sp_add_const(const sp_pool *p, sp_expr e);
sp_num sp_add_coef(const sp_pool *p, sp_expr e, uint32_t i);
int64_t sp_var_extent(const sp_pool *p, sp_expr v);
sp_var_class sp_var_class_of(const sp_pool *p, sp_expr v);
const char *sp_var_name(const sp_pool *p, sp_expr v);
bool sp_is_int(const sp_pool *p, sp_expr e,
               int64_t value);                /* INT node = value */
bool sp_is_zero(const sp_pool *p, sp_expr e); /* real NUM 0 or INT 0 */
bool sp_is_true(const sp_pool *p, sp_expr e);
bool sp_is_false(const sp_pool *p, sp_expr e);

/* Hash of the term with indices erased: INT-sorted arithmetic (INT, VAR, LIN,
 * DIV, MOD, MAX/MIN/ITE over such) counts as one symbol, bound variables and
 * their number do not count, symbols, functions, operators, real constants do.
 * Equal skeletons are a hint that two terms may be equal up to indices. A sum
 * (max, min) of n like pieces has the skeleton of one reduction of the piece,
 * so that a reduction meets its pieces; so has a run of like sums in a sum. */
uint64_t sp_skeleton(sp_pool *p, sp_expr e);

/* Free variables. The set is a sorted array of VAR terms owned by the pool. */
uint32_t sp_free_vars(sp_pool *p, sp_expr e, const sp_expr **vars);
bool sp_has_free(sp_pool *p, sp_expr e, sp_expr var);
bool sp_has_red(const sp_pool *p, sp_expr e);        /* a RED anywhere inside */
uint32_t sp_red_height(const sp_pool *p, sp_expr e); /* REDs in each other */
bool sp_has_read(const sp_pool *p, sp_expr e);       /* a READ anywhere inside;
                                                        READs of constant symbols
                                                        do not count */
/* A condition, choice, quotient, function of integers or constant table
 * anywhere inside: without one a term is zero nowhere in particular. */
bool sp_has_condition(const sp_pool *p, sp_expr e);
/* Interval of an INT term: lo <= e <= hi. False when not bounded on a side
 * (then lo, hi still hold INT64_MIN / INT64_MAX on the unbounded sides). */
bool sp_range(sp_pool *p, sp_expr e, int64_t *lo, int64_t *hi);

/* ---- rationals ---- */
sp_num sp_num_from_i64(sp_pool *p, int64_t n);
sp_num sp_num_ratio(sp_pool *p, int64_t n, int64_t d); /* d != 0 */
/* The exact decimal of the shortest text that reads back as v in a binary
 * format with that many significand bits (f32 24, bf16 8, f64 53, ...), as
 * XLA prints literals; of a long text in f64 or f32 the short fraction that
 * rounds to v, if there is one (1/120 for 0.008333333333333333). v finite. */
sp_num sp_num_from_double(sp_pool *p, double v, int significand_bits);
sp_num sp_num_add(sp_pool *p, sp_num a, sp_num b);
sp_num sp_num_mul(sp_pool *p, sp_num a, sp_num b);
sp_num sp_num_inv(sp_pool *p, sp_num a); /* a != 0 */
sp_num sp_num_neg(sp_pool *p, sp_num a);
int sp_num_sign(const sp_pool *p, sp_num a);
int sp_num_cmp(const sp_pool *p, sp_num a, sp_num b);
double sp_num_double(const sp_pool *p, sp_num a);
const char *sp_num_text(sp_pool *p, sp_num a); /* "-3/4", "12" */
static inline bool sp_num_eq(sp_num a, sp_num b) {
  return a.v == b.v;
}

/* ---- symbols ---- */
/* A tensor of n_args coordinates (outer coordinates such as the rank first).
 * extents[n_args] are the sizes of its coordinates; obligations may rely on
 * reads staying inside them only where that was proved. lo, hi bound the
 * elements of an INT symbol (INT64_MIN, INT64_MAX: not bounded). */
sp_sym sp_sym_new(sp_pool *p, const char *name, sp_sort sort, uint32_t n_args,
                  const int64_t *extents);
void sp_sym_set_range(sp_pool *p, sp_sym s, int64_t lo, int64_t hi);
/* The integers from lo to hi. */
typedef struct sp_stretch {
  int64_t lo, hi;
} sp_stretch;
/* No element is in one of these gaps: inside of its range, in order, with
 * numbers between them. The array is kept. */
void sp_sym_set_gaps(sp_pool *p, sp_sym s, uint32_t n, const sp_stretch *gaps);
uint32_t sp_sym_gaps(const sp_pool *p, sp_sym s, const sp_stretch **gaps);
/* Elements of a REAL symbol have the sign that shows of the form of this term,
 * their definition, for all values of its variables, and may be infinite where
 * that may. */
void sp_sym_take_sign(sp_pool *p, sp_sym s, sp_expr definition);
/* Whether the same is known of the elements of two symbols: sort, extents,
 * range, gaps, sign, infinities. Of tables: whether they are one. */
bool sp_sym_same_facts(const sp_pool *p, sp_sym a, sp_sym b);
/* Of s what is known of from, a symbol of the same sort and extents. */
void sp_sym_copy_facts(sp_pool *p, sp_sym s, sp_sym from);
bool sp_sym_not_negative(const sp_pool *p, sp_sym s);
/* Whether a REAL term is finite, as far as its form shows; that the maxima in
 * it are is noted (sp_pool_note). */
bool sp_take_finite(sp_pool *p, sp_expr e);
/* A constant table, row-major; equal contents give the same symbol. INT and
 * BOOL (0, 1) values; reads at constant indices are folded, reads whose
 * indices depend on one small variable are refitted (sp_fit). */
sp_sym sp_sym_table_int(sp_pool *p, sp_sort sort, uint32_t n_args,
                        const int64_t *extents, const int64_t *values);
sp_sym sp_sym_table_num(sp_pool *p, uint32_t n_args, const int64_t *extents,
                        const sp_num *values);
const char *sp_sym_name(const sp_pool *p, sp_sym s);
sp_sort sp_sym_sort(const sp_pool *p, sp_sym s);
uint32_t sp_sym_n_args(const sp_pool *p, sp_sym s);
const int64_t *sp_sym_extents(const sp_pool *p, sp_sym s);
bool sp_sym_is_table(const sp_pool *p, sp_sym s);
bool sp_sym_range(const sp_pool *p, sp_sym s, int64_t *lo, int64_t *hi);
/* Element at of a table, row-major. */
sp_value sp_sym_table_value(const sp_pool *p, sp_sym s, int64_t at);

/* ---- integers ---- */
sp_expr sp_int(sp_pool *p, int64_t v);
/* A variable; extent 1 gives the constant 0 in normal mode. Every call makes
 * a new one. */
sp_expr sp_var(sp_pool *p, sp_var_class c, const char *name, int64_t extent);
sp_expr sp_iadd(sp_pool *p, sp_expr a, sp_expr b);
sp_expr sp_isub(sp_pool *p, sp_expr a, sp_expr b);
sp_expr sp_iaddc(sp_pool *p, sp_expr a, int64_t c);
sp_expr sp_iscale(sp_pool *p, sp_expr a, int64_t k);
sp_expr sp_imul(sp_pool *p, sp_expr a, sp_expr b); /* FN "imul" if nonlinear */
sp_expr sp_idiv(sp_pool *p, sp_expr a, int64_t c); /* floor, c > 0 */
sp_expr sp_imod(sp_pool *p, sp_expr a, int64_t c); /* c > 0 */
/* Row-major position of idx[] in a shape, and back (digits of e). */
sp_expr sp_flatten(sp_pool *p, uint32_t n, const int64_t *dims,
                   const sp_expr *idx);
void sp_unflatten(sp_pool *p, sp_expr e, uint32_t n, const int64_t *dims,
                  sp_expr *idx);
/* The function k -> values[k], 0 <= k < n, at x, where x is in [0, n): as
 * a*x+b, (x+c) mod n, mixed-radix digits of x, or a few affine pieces; 0 (none)
 * if it is none of these. Exact: checked on every value. */
sp_expr sp_fit(sp_pool *p, const int64_t *values, int64_t n, sp_expr x);
/* The same, but always a term: falls back to a constant table. */
sp_expr sp_table(sp_pool *p, const int64_t *values, int64_t n, sp_expr x);
/* For reals: arithmetic where all values are multiples of one number. */
sp_expr sp_table_real(sp_pool *p, const sp_num *values, int64_t n, sp_expr x);

/* ---- any sort ---- */
sp_expr sp_read(sp_pool *p, sp_sym s, const sp_expr *idx);
sp_expr sp_ite(sp_pool *p, sp_expr c, sp_expr a, sp_expr b);
sp_expr sp_max(sp_pool *p, sp_expr a, sp_expr b); /* INT or REAL */
sp_expr sp_min(sp_pool *p, sp_expr a, sp_expr b);
sp_expr sp_clamp(sp_pool *p, sp_expr e, sp_expr lo, sp_expr hi); /* min(max(e,
                                                              lo), hi) */
/* Function by name, uninterpreted except for the names with rewrites listed
 * in docs/soundness.md ("exp", "log", "inv", "sqrt", "rsqrt", "abs", ...). */
sp_expr sp_fn(sp_pool *p, sp_sort sort, const char *name, uint32_t n,
              const sp_expr *args);
sp_expr sp_fn1(sp_pool *p, const char *name, sp_expr a); /* REAL -> REAL */
/* What is known of a function whose first argument is a LAMBDA: its values are
 * elements of it (the largest one, ...), so they have the sign of all of these;
 * or, INT, positions in it, so they are in the range of its one variable. */
void sp_fn_picks(sp_pool *p, const char *name, bool positions);
bool sp_fn_is_pick(const sp_pool *p, const char *name);

/* Functions of two integers whose arguments may be exchanged. */
bool sp_fn_commutes(const char *name);
/* Reduce body over n variables (VAR terms free in the body or not; they must
 * be FRESH ones made by sp_fresh). The reduction over an empty range is the
 * identity of op: 0, 1, -inf, +inf (INT: FN "iinf"/"-iinf"), false, true. */
sp_expr sp_red(sp_pool *p, sp_red_op op, uint32_t n, const sp_expr *vars,
               sp_expr body);
/* op of two values, as sp_red does it over two points; not of LAMBDA. */
sp_expr sp_red_two(sp_pool *p, sp_red_op op, sp_expr a, sp_expr b);
sp_expr sp_fresh(sp_pool *p, int64_t extent); /* class FRESH */
/* Bound variables replaced by fresh ones, written to vars (sp_red_n_vars);
 * returns the body. */
sp_expr sp_red_open(sp_pool *p, sp_expr red, sp_expr *vars);
/* All sums in e distributed over the terms of their bodies (under a zero guard,
 * too), inner ones first; like sums then merge. On demand only: where one side
 * is guarded, splitting the other would keep them from matching. */
sp_expr sp_split_sums(sp_pool *p, sp_expr e);
/* The same, and all products of sums multiplied out, outside of reductions,
 * too: a polynomial. 0: more than limit monomials. */
sp_expr sp_multiply_out(sp_pool *p, sp_expr e, uint32_t limit);

/* ---- reals ---- */
sp_expr sp_real(sp_pool *p, sp_num v);
sp_expr sp_real_i64(sp_pool *p, int64_t v);
sp_expr sp_inf(sp_pool *p, bool negative);
sp_expr sp_add(sp_pool *p, sp_expr a, sp_expr b); /* REAL; INT: sp_iadd */
sp_expr sp_sub(sp_pool *p, sp_expr a, sp_expr b);
sp_expr sp_scale(sp_pool *p, sp_expr a, sp_num k);
sp_expr sp_mul(sp_pool *p, sp_expr a, sp_expr b); /* REAL; INT: sp_imul */
sp_expr sp_div(sp_pool *p, sp_expr a, sp_expr b); /* a * inv(b) */
sp_expr sp_exp(sp_pool *p, sp_expr a);
sp_expr sp_inv(sp_pool *p, sp_expr a);
sp_expr sp_i2r(sp_pool *p, sp_expr a);
sp_expr sp_nan(sp_pool *p);
/* REAL: false where there is no NaN. */
sp_expr sp_is_nan(sp_pool *p, sp_expr a);

/* ---- booleans ---- */
sp_expr sp_bool(sp_pool *p, bool v);
sp_expr sp_not(sp_pool *p, sp_expr a);
sp_expr sp_or(sp_pool *p, sp_expr a, sp_expr b);
sp_expr sp_and(sp_pool *p, sp_expr a, sp_expr b);
sp_expr sp_lt(sp_pool *p, sp_expr a, sp_expr b); /* INT or REAL */
sp_expr sp_le(sp_pool *p, sp_expr a, sp_expr b);
sp_expr sp_eq(sp_pool *p, sp_expr a, sp_expr b); /* any sort */

/* What the form of a REAL term shows for all finite inputs: 2 positive, 1 not
 * negative, 0 nothing; that it is never infinite, whatever maxima are. */
int sp_sign(sp_pool *p, sp_expr e);
bool sp_is_finite(sp_pool *p, sp_expr e);

/* ---- rebuilding ---- */
/* Simultaneous substitution of free variables, without capture; the result is
 * built by the constructors in the pool's current mode. */
sp_expr sp_subst(sp_pool *p, sp_expr e, uint32_t n, const sp_expr *vars,
                 const sp_expr *values);
/* Map over a term bottom-up: fn is asked for each node (0 = rebuild it from
 * its mapped args). Binders: fn is called on the opened body, with fresh
 * variables; so fn may return terms with free variables safely. Results are
 * memoised by the caller-supplied key space: a memo lives for one call. */
typedef sp_expr (*sp_map_fn)(void *env, sp_pool *p, sp_expr e);
sp_expr sp_map(sp_pool *p, sp_expr e, sp_map_fn fn, void *env);
/* Bottom-up rebuild in normal mode. */
sp_expr sp_simplify(sp_pool *p, sp_expr e);
/* Same kind and payload with other args (in the current mode). */
sp_expr sp_rebuild(sp_pool *p, sp_expr e, const sp_expr *args);
/* A choice between terms that differ in integers inside alone as one such term,
 * whose integers choose; none if they differ in more. Like f(ite(c, x, y)) for
 * ite(c, f(x), f(y)): equal whatever c is. */
sp_expr sp_join(sp_pool *p, sp_expr ite);
/* e under the knowledge that cond is value: narrowing inside branches. */
sp_expr sp_assume(sp_pool *p, sp_expr e, sp_expr cond, bool value);

/* ---- printing, evaluating ---- */
const char *sp_show(sp_pool *p, sp_expr e); /* context memory */

typedef struct sp_eval_env {
  void *user;
  /* value of a free variable */
  int64_t (*var)(void *user, sp_expr v);
  /* element of a (non-table) symbol; idx may be out of its extents */
  sp_value (*read)(void *user, sp_sym s, uint32_t n, const int64_t *idx);
  /* value of a function that the evaluator does not know; may be NULL (then
   * evaluation fails) */
  bool (*fn)(void *user, const char *name, uint32_t n, const sp_value *args,
             sp_value *out);
  uint64_t budget; /* node visits left; counts down */
  /* Numbers that differ by no more than rounding may are equal; which of them
   * is smaller is not known (evaluation fails). */
  bool rough;
} sp_eval_env;
/* False when the budget ran out or a function is unknown. Used by tests and
 * pre-filters only: nothing is proved by it. */
bool sp_eval(sp_pool *p, sp_expr e, sp_eval_env *env, sp_value *out);
/* The functions that sp_eval knows by name: of one or two reals (one of the
 * two pointers is set), and of integers. False: none of them. */
bool sp_real_function(const char *name, double (**one)(double),
                      double (**two)(double, double));
bool sp_int_function(const char *name, uint32_t n, const int64_t *v,
                     int64_t *out);

#endif
