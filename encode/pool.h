/* pool.h: inside encode/: nodes, the unique table, and what the halves of the
 * simplifier (indices and conditions; reals and reductions) owe each other.
 *
 * CONTRACT. A node never moves and never changes, except for cached facts.
 * spi_node() interns: it computes the facts that are synthesised from the
 * arguments (free variables, flags, height, depth) and simplifies nothing.
 * Terms nest at most SPI_MAX_DEPTH deep (SP_ERR_LIMIT), so recursion over the
 * structure of a term is bounded; recursive functions keep their frames small
 * and put arrays in scratch memory.
 *
 * Narrowing. While the branch of an ITE is simplified, the pool holds facts
 * (linear term, interval) that sp_range() consults, so all constructors see
 * them. Whoever caches a result that depends on ranges must not do so, nor use
 * the cache, while spi_narrowed(p).
 *
 * Binders. The variables of a RED are canonical: VAR nodes of class BOUND,
 * interned by (height, position, extent), height = spi_height(body) + 1. So a
 * binder inside a body never has the variables of the one around it, provided
 * that the body's height is below the binder's: sp_red() checks after its
 * closing substitution (rebuilding may simplify) and repeats if not. A BOUND
 * variable is free only in bodies, and in what is built while a body is
 * closed. sp_red() takes FRESH variables, or BOUND ones whose height is above
 * spi_height(body): rebuilding a body in place needs no opening. Against
 * capture sp_red() checks (SP_ERR_INTERNAL) that no BOUND variable but those
 * that it closes, of its own height or below, is free in the body.
 */
#ifndef SP_ENCODE_POOL_H
#define SP_ENCODE_POOL_H

#include <assert.h>
#include <string.h>

#include "base/arith.h"
#include "base/vec.h"
#include "encode/expr.h"

enum { SPI_MAX_DEPTH = 5000 };
/* Constant tables up to this size are given to the solver entry by entry. */
enum { SPI_TABLE_SPELLED = 64 };

/* A set of variables, interned: equal sets are the same pointer. mask has bit
 * (id mod 64) set for each member: a cheap first test. */
typedef struct spi_set {
  uint64_t mask;
  uint32_t n;
  uint32_t hash;
  sp_expr v[]; /* sorted by id */
} spi_set;

enum {
  SPI_HAS_RED = 1,
  SPI_HAS_READ = 2,    /* of a symbol that is not a table */
  SPI_NARROWABLE = 4,  /* facts may change it: conditions, ITE, DIV, MIN, ... */
  SPI_HAS_RANGE = 8,   /* lo, hi are cached */
  SPI_HAS_INF = 16,    /* an INF or a log anywhere inside */
  SPI_ROWS_KNOWN = 32, /* what the next bit says (finite.c) */
  SPI_ROW_MASKED = 64, /* an extremum that is of nothing but infinities */
};

typedef struct spi_node_s {
  uint8_t kind, sort, flags;
  uint32_t n; /* args */
  uint32_t hash;
  uint32_t height; /* of binders inside; 0: no RED */
  uint32_t depth;
  /* INT value; LIN constant; DIV, MOD divisor; VAR index in vars; READ sym.v;
   * FN index in fns; RED op; NUM, ADD constant num.v; INF 1 = negative;
   * BOOL 0, 1 */
  int64_t payload;
  const sp_expr *args;
  union {
    const int64_t *lin; /* LIN */
    const sp_num *add;  /* ADD */
  } coefs;
  const spi_set *free;
  uint64_t skeleton; /* 0 = not computed yet */
  int64_t lo, hi;
  sp_expr fit; /* what tabulation made of it (tabulate.c); 0 = not tried */
} spi_node_t;

typedef struct spi_var {
  sp_var_class cls;
  const char *name;
  int64_t extent;
  uint32_t height, position; /* BOUND */
  sp_expr term;
} spi_var;

typedef struct spi_sym {
  const char *name;
  sp_sort sort;
  uint32_t n_args;
  const int64_t *extents;
  int64_t lo, hi;  /* INT: of the elements */
  uint32_t n_gaps; /* INT: between lo and hi */
  const sp_stretch *gaps;
  int sign;              /* REAL: 2 positive, 1 not negative, 0 not known */
  unsigned ends;         /* REAL: the infinities that elements may be */
  bool is_table, no_fit; /* no_fit: sp_fit failed on the whole table */
  int64_t n_values;
  const int64_t *ints; /* INT, BOOL table */
  const sp_num *nums;  /* REAL table */
  uint64_t hash;
  uint32_t next_table; /* an older one in its chain, or 0 */
} spi_sym;

typedef struct spi_pick {
  int64_t fn; /* payload of the nodes */
  bool positions;
} spi_pick;

/* lo <= term <= hi, term without a constant, coefficients without a common
 * factor and the first one positive (an atom, or a LIN). */
typedef struct spi_fact {
  sp_expr term;
  int64_t lo, hi;
} spi_fact;

/* Map from terms to terms that is emptied in no time. */
typedef struct spi_memo_slot {
  uint32_t epoch, key, value;
} spi_memo_slot;
typedef struct spi_memo {
  struct spi_memo *next;
  uint32_t epoch, n, cap;
  spi_memo_slot *slot;
} spi_memo;

enum { SPI_PAGE = 1024, SPI_CHAINS = 1024 };

struct sp_pool {
  sp_ctx *ctx;
  bool raw;            /* conditions and indices as written */
  bool raw_values;     /* reals and reductions are, and there is NaN */
  bool infinite_names; /* there are symbols with ends */
  bool fitting;        /* inside spi_tabulate(), which must not start again */
  /* nodes, by id; id 0 is none, 1 is false, 2 is true */
  SP_VEC(spi_node_t *) pages;
  uint32_t n;
  uint32_t *unique; /* open addressing: ids */
  uint32_t unique_mask;
  /* free-variable sets */
  const spi_set **sets;
  uint32_t sets_n, sets_mask;
  const spi_set *empty;
  struct {
    const spi_set *a, *b, *both;
  } unions[256]; /* recent unions */
  SP_VEC(spi_var) vars;
  SP_VEC(uint32_t) bound;      /* indices of BOUND vars */
  SP_VEC(spi_sym) syms;        /* index sp_sym.v; 0 unused */
  uint32_t tables[SPI_CHAINS]; /* by hash: the latest, or 0 */
  SP_VEC(const char *) fns;
  SP_VEC(spi_pick) picks; /* sp_fn_picks */
  SP_VEC(spi_fact) facts; /* narrowing; active are [facts_from, facts.n) */
  size_t facts_from;
  uint32_t range_work; /* steps of the interval that is being narrowed */
  bool guarded;        /* a spi_guard() is on the stack */
  uint32_t n_fresh;
  spi_memo *memos;         /* not in use */
  struct spi_nums *nums;   /* num.c */
  struct spi_evals *evals; /* eval.c */
  struct spi_reals *reals; /* real.c, red.c: theirs to define and allocate */
};

#define SPI_FALSE ((sp_expr){1})
#define SPI_TRUE ((sp_expr){2})
/* num.c interns these two first. */
#define SPI_NUM_ZERO ((sp_num){1})
#define SPI_NUM_ONE ((sp_num){2})

static inline spi_node_t *spi_get(const sp_pool *p, sp_expr e) {
  assert(e.v > 0 && e.v < p->n);
  return &p->pages.v[e.v / SPI_PAGE][e.v % SPI_PAGE];
}

static inline bool spi_same(sp_expr a, sp_expr b) {
  return a.v == b.v;
}

static inline sp_kind spi_kind(const sp_pool *p, sp_expr e) {
  return (sp_kind)spi_get(p, e)->kind;
}

static inline uint32_t spi_height(const sp_pool *p, sp_expr e) {
  return spi_get(p, e)->height;
}

static inline bool spi_narrowed(const sp_pool *p) {
  return p->facts.n > p->facts_from;
}

/* ---- pool.c ---- */
/* coefs: int64_t[n] for LIN, sp_num[n] for ADD, else NULL. Copies args. */
sp_expr spi_node(sp_pool *p, sp_kind kind, sp_sort sort, int64_t payload,
                 uint32_t n, const sp_expr *args, const void *coefs);
sp_expr spi_bound_var(sp_pool *p, uint32_t height, uint32_t position,
                      int64_t extent);
const spi_var *spi_var_of(const sp_pool *p, sp_expr v);
const spi_sym *spi_sym_of(const sp_pool *p, sp_sym s);
void spi_sets_start(sp_pool *p); /* of a new pool */
bool spi_set_has(const spi_set *s, sp_expr var);
bool spi_set_meets(const spi_set *a, const spi_set *b);
bool spi_set_within(const spi_set *a, const spi_set *b); /* a subset of b */
const spi_set *spi_set_of(sp_pool *p, uint32_t n, const sp_expr *vars);
const spi_set *spi_set_union(sp_pool *p, const spi_set *a, const spi_set *b);
const spi_set *spi_set_minus(sp_pool *p, const spi_set *a, const spi_set *b);
/* Payload of a FN node for a name. */
int64_t spi_fn_id(sp_pool *p, const char *name);
/* Index arithmetic; raises SP_ERR_LIMIT when 64 bits do not hold it. */
int64_t spi_add64(sp_pool *p, int64_t a, int64_t b);
int64_t spi_mul64(sp_pool *p, int64_t a, int64_t b);
noreturn void spi_overflow(sp_pool *p);
/* Run fn(p, arg). When it raises an error, the pool's mode and narrowing are
 * put back before the error goes on. For whoever changes them for a while. */
void spi_guard(sp_pool *p, void (*fn)(sp_pool *p, void *arg), void *arg);
spi_memo *spi_memo_open(sp_pool *p);
void spi_memo_close(sp_pool *p, spi_memo *m);
sp_expr spi_memo_get(const spi_memo *m, sp_expr key); /* 0 = none */
void spi_memo_put(sp_pool *p, spi_memo *m, sp_expr key, sp_expr value);

/* ---- index.c and friends ---- */
/* const + sum coefs[i] * args[i]; args INT, in any order, may repeat. */
sp_expr spi_lin(sp_pool *p, int64_t constant, uint32_t n, const sp_expr *args,
                const int64_t *coefs);
/* INT functions ("imul", "iand", ...), called by sp_fn. */
sp_expr spi_ifn(sp_pool *p, const char *name, uint32_t n, const sp_expr *args);
/* n-ary disjunction in one go. */
sp_expr spi_or_n(sp_pool *p, uint32_t n, const sp_expr *args);

/* ---- function.c ---- */
/* What sp_fn_picks said of a FN node: the LAMBDA in which it picks elements
 * (or positions); 0: nothing. */
sp_expr spi_picked_from(const sp_pool *p, const spi_node_t *d, bool positions);

/* ---- num.c, real.c, red.c ---- */
void spi_nums_init(sp_pool *p); /* interns SPI_NUM_ZERO, SPI_NUM_ONE */
/* floor of a; false when it does not fit 64 bits. */
bool spi_num_floor(const sp_pool *p, sp_num a, int64_t *out);
/* REAL maximum and minimum, called by sp_max and sp_min (index.c). */
sp_expr spi_rmax(sp_pool *p, sp_expr a, sp_expr b);
sp_expr spi_rmin(sp_pool *p, sp_expr a, sp_expr b);
/* REAL a < b, a == b, called by sp_lt, sp_le, sp_eq (boolean.c). */
sp_expr spi_rlt(sp_pool *p, sp_expr a, sp_expr b);
sp_expr spi_req(sp_pool *p, sp_expr a, sp_expr b);
/* constant + sum coefs[i] * args[i]; args REAL, in any order, may repeat. */
sp_expr spi_add_n(sp_pool *p, sp_num constant, uint32_t n, const sp_expr *args,
                  const sp_num *coefs);
sp_expr spi_mul_n(sp_pool *p, uint32_t n, const sp_expr *args);
/* REAL functions, called by sp_fn (index.c) with the interned name. */
sp_expr spi_rfn(sp_pool *p, const char *name, uint32_t n, const sp_expr *args);
/* real.c also defines sp_real, sp_real_i64, sp_inf, sp_add, sp_sub, sp_scale,
 * sp_mul, sp_div, sp_exp, sp_inv, sp_fn1, sp_i2r; num.c all sp_num_*; red.c
 * sp_red, sp_red_open. INT operands of sp_add, sp_mul go to sp_iadd, sp_imul.
 * All the rest of expr.h is the index half's. */

#endif
