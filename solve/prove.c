/* prove.c: read sp_prove_equal: rewrite one-hot sums, prove equal reductions
 * as lemmas, let Z3 put the rest together. */
#include "solve/prove.h"

#include "solve/probe.h"
#include "solve/seen.h"

#include <string.h>
#include <time.h>

typedef struct pair {
  uint32_t a, b;
  bool used, result;
  bool thorough; /* the effort that did not prove it */
} pair;

typedef struct rewritten {
  uint32_t from;
  sp_expr to;
} rewritten;

struct sp_prover {
  sp_ctx *ctx;
  sp_pool *pool;
  sp_solver *solver;
  const char *about;
  int depth;
  bool thorough;
  bool branching;   /* a branch of a choice is being proved */
  uint32_t hurry;   /* milliseconds for an obligation, or 0 */
  double deadline;  /* of all proofs, or 0 */
  size_t terms;     /* the pool may grow so far, or 0 */
  size_t began;     /* the pool's size when the effort began */
  size_t all_terms; /* with a deadline: so far in all */
  size_t room;      /* bytes that the context may hold, or 0 */
  uint32_t budget;  /* milliseconds of work in all, or 0 */
  clock_t clock;    /* when that began */
  void (*watch)(void *user);
  void *user;  /* of watch */
  pair *pairs; /* results of sp_prove_equal without hypotheses */
  size_t pairs_n, pairs_cap;
  rewritten *onehot;
  size_t onehot_n, onehot_cap;
  SP_VEC(sp_proved) proved;
  spi_probes *probes;
};

/* Below SIMPLER_DEPTH terms are compared as they are: each level would try
 * both forms again. */
enum {
  MAX_DEPTH = 12,
  SIMPLER_DEPTH = 4,
  BRANCH_DEPTH = 3,
  MAX_REDS = 512, /* a norm over all parameters of a model has one for each */
  MAX_LIKE = 64,
  MAX_FORMS = 576, /* pairs that may be equal though their forms differ */
};

/* With a deadline an effort gets one part of so many of the terms that are
 * left: a tensor that is right takes few, one that is not takes what it gets.
 * FEW_TERMS are enough for nearly all. */
enum { EFFORTS = 4, FEW_TERMS = 2000 };

/* About so much is a millisecond. */
enum { STEPS_PER_MS = 20000, TERMS_PER_MS = 400 };

sp_prover *sp_prover_new(sp_pool *pool, sp_solver *solver) {
  sp_ctx *ctx = sp_pool_ctx(pool);
  sp_prover *pr = sp_alloc(ctx, sizeof *pr);
  pr->ctx = ctx;
  pr->pool = pool;
  pr->solver = solver;
  pr->about = "";
  pr->probes = spi_probes_new(ctx);
  sp_solver_try_first(solver, spi_fails_somewhere, pr);
  return pr;
}

sp_pool *sp_prover_pool(const sp_prover *pr) {
  return pr->pool;
}

spi_probes *sp_prover_probes(sp_prover *pr) {
  return pr->probes;
}

void sp_prover_about(sp_prover *pr, const char *about) {
  pr->about = about;
}

uint32_t sp_prover_hurry(sp_prover *pr, uint32_t limit_ms) {
  uint32_t was = pr->hurry;
  pr->hurry = limit_ms;
  sp_solver_hurry(pr->solver, limit_ms);
  return was;
}

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void sp_prover_deadline(sp_prover *pr, double seconds, size_t terms) {
  pr->deadline = now() + seconds;
  pr->all_terms = sp_pool_size(pr->pool) + terms;
}

void sp_prover_thorough(sp_prover *pr, bool thorough) {
  pr->thorough = thorough;
}

void sp_prover_effort(sp_prover *pr, size_t terms) {
  size_t size = sp_pool_size(pr->pool), most = terms;
  pr->began = size;
  if (pr->deadline > 0) {
    size_t left = pr->all_terms > size ? pr->all_terms - size : 0;
    size_t part = left / EFFORTS > FEW_TERMS ? left / EFFORTS : FEW_TERMS;
    most = part < terms ? part : terms;
  }
  pr->terms = terms ? size + most : 0;
}

size_t sp_prover_spent(const sp_prover *pr) {
  return sp_pool_size(pr->pool) - pr->began;
}

void sp_prover_excuse(sp_prover *pr, size_t terms) {
  pr->began += terms;
  pr->terms += pr->terms ? terms : 0;
}

void sp_prover_watch(sp_prover *pr, void (*watch)(void *user), void *user) {
  pr->watch = watch;
  pr->user = user;
}

void sp_prover_look(sp_prover *pr) {
  if (pr->watch) {
    pr->watch(pr->user);
  }
}

void sp_prover_room(sp_prover *pr, size_t bytes) {
  pr->room = bytes;
}

bool sp_prover_full(const sp_prover *pr) {
  return pr->room > 0 && sp_ctx_bytes(pr->ctx) > pr->room;
}

void sp_prover_budget(sp_prover *pr, uint32_t work_ms) {
  pr->budget = work_ms;
  pr->clock = clock();
}

static uint64_t work_done(const sp_prover *pr) {
  return sp_solver_statistics(pr->solver)->steps / STEPS_PER_MS +
         sp_pool_size(pr->pool) / TERMS_PER_MS;
}

bool sp_prover_worn(const sp_prover *pr) {
  if (pr->budget == 0) {
    return false;
  }
  double processor = (double)(clock() - pr->clock) / CLOCKS_PER_SEC;
  /* less is left than an obligation may be stopped too early by */
  return work_done(pr) + pr->budget / 50 >= pr->budget ||
         processor > 2e-3 * pr->budget;
}

bool sp_prover_late(const sp_prover *pr) {
  return sp_prover_full(pr) || sp_prover_worn(pr) ||
         (pr->terms > 0 && sp_pool_size(pr->pool) > pr->terms) ||
         (pr->deadline > 0 && now() > pr->deadline);
}

sp_hyps spi_hyps_with(sp_prover *pr, sp_hyps hyps, sp_expr extra) {
  sp_expr *v = sp_alloc_n(pr->ctx, hyps.n + 1, sizeof *v);
  for (uint32_t i = 0; i < hyps.n; i++) {
    v[i] = hyps.v[i];
  }
  v[hyps.n] = extra;
  return (sp_hyps){hyps.n + 1, v};
}

bool sp_prove_holds(sp_prover *pr, const char *rule, sp_expr goal,
                    sp_hyps hyps) {
  if (sp_prover_late(pr)) {
    return false;
  }
  if (pr->budget > 0) {
    sp_solver_left(pr->solver, pr->budget - (uint32_t)work_done(pr));
  }
  if (sp_prove(pr->solver, rule, pr->about, hyps.n, hyps.v, goal) !=
      SP_PROVED) {
    return false;
  }
  sp_push(pr->ctx, &pr->proved, ((sp_proved){pr->about, rule, hyps.n, goal}));
  return true;
}

size_t sp_prover_proved(const sp_prover *pr, const sp_proved **list) {
  *list = pr->proved.v;
  return pr->proved.n;
}

/* ---- memo of pairs ---- */

static size_t pair_slot(const pair *v, size_t cap, uint32_t a, uint32_t b) {
  uint64_t h = ((uint64_t)a << 32 | b) * 0x9E3779B97F4A7C15u;
  size_t at = (size_t)(h >> 20) & (cap - 1);
  while (v[at].used && (v[at].a != a || v[at].b != b)) {
    at = (at + 1) & (cap - 1);
  }
  return at;
}

static pair *pair_of(sp_prover *pr, uint32_t a, uint32_t b) {
  if (pr->pairs_n * 2 >= pr->pairs_cap) {
    size_t cap = pr->pairs_cap ? pr->pairs_cap * 2 : 1024;
    pair *v = sp_alloc_n(pr->ctx, cap, sizeof *v);
    for (size_t i = 0; i < pr->pairs_cap; i++) {
      if (pr->pairs[i].used) {
        v[pair_slot(v, cap, pr->pairs[i].a, pr->pairs[i].b)] = pr->pairs[i];
      }
    }
    pr->pairs = v;
    pr->pairs_cap = cap;
  }
  return &pr->pairs[pair_slot(pr->pairs, pr->pairs_cap, a, b)];
}

/* ---- one-hot sums, memoised ---- */

static size_t rewritten_slot(const rewritten *v, size_t cap, uint32_t from) {
  size_t at = (size_t)(from * 2654435761u) & (cap - 1);
  while (v[at].from && v[at].from != from) {
    at = (at + 1) & (cap - 1);
  }
  return at;
}

sp_expr spi_onehot(sp_prover *pr, sp_expr e) {
  if (!sp_has_red(pr->pool, e) || !sp_has_condition(pr->pool, e)) {
    return e;
  }
  if (pr->onehot_n * 2 >= pr->onehot_cap) {
    size_t cap = pr->onehot_cap ? pr->onehot_cap * 2 : 512;
    rewritten *v = sp_alloc_n(pr->ctx, cap, sizeof *v);
    for (size_t i = 0; i < pr->onehot_cap; i++) {
      if (pr->onehot[i].from) {
        v[rewritten_slot(v, cap, pr->onehot[i].from)] = pr->onehot[i];
      }
    }
    pr->onehot = v;
    pr->onehot_cap = cap;
  }
  size_t at = rewritten_slot(pr->onehot, pr->onehot_cap, e.v);
  if (pr->onehot[at].from) {
    return pr->onehot[at].to;
  }
  sp_expr to = spi_onehot_rewrite(pr, e);
  at = rewritten_slot(pr->onehot, pr->onehot_cap, e.v);
  pr->onehot_n += pr->onehot[at].from == 0;
  pr->onehot[at] = (rewritten){e.v, to};
  return to;
}

/* ---- equality ---- */

/* Outermost reductions, and sums (max, min) that may be the pieces of one. */
typedef struct outer {
  uint32_t n_reds, n_pieces;
  sp_expr red[MAX_REDS], pieces[MAX_REDS];
} outer;

static void add_pieces(outer *o, sp_expr e) {
  if (o->n_pieces < MAX_REDS) {
    o->pieces[o->n_pieces++] = e;
  }
}

/* A sum of more than the pieces of one reduction (a norm over tensors of which
 * each rank has a part): addends of one form, which follow each other, may be
 * the pieces of one. */
static void add_like_addends(sp_pool *p, outer *o, sp_expr e) {
  uint32_t n = sp_n_args(p, e);
  for (uint32_t i = 0, end; i < n; i = end) {
    sp_expr first = sp_arg(p, e, i), sum = first;
    for (end = i + 1; end < n && end - i < MAX_LIKE; end++) {
      sp_expr next = sp_arg(p, e, end);
      if (sp_skeleton(p, next) != sp_skeleton(p, first) ||
          !sp_num_eq(sp_add_coef(p, e, end), sp_add_coef(p, e, i))) {
        break;
      }
      sum = sp_add(p, sum, next);
    }
    if (sp_kind_of(p, first) == SP_KIND_RED && end > i + 1 && end < i + n) {
      add_pieces(o, sp_scale(p, sum, sp_add_coef(p, e, i)));
    }
  }
}

static void outer_collect(sp_pool *p, sp_expr e, outer *o, spi_seen *seen) {
  if ((sp_sort_of(p, e) == SP_SORT_INT && !sp_has_red(p, e)) ||
      spi_seen_before(seen, e)) {
    return;
  }
  sp_red_op op;
  sp_num coef;
  if (spi_is_pieces(p, e, &op, &coef)) {
    add_pieces(o, e);
  }
  if (sp_kind_of(p, e) == SP_KIND_ADD && sp_sort_of(p, e) == SP_SORT_REAL) {
    add_like_addends(p, o, e);
  }
  if (sp_kind_of(p, e) == SP_KIND_RED) {
    if (o->n_reds < MAX_REDS) {
      o->red[o->n_reds++] = e;
    }
    return;
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    outer_collect(p, sp_arg(p, e, i), o, seen);
  }
}

static outer outer_of(sp_pool *p, sp_expr e) {
  sp_ctx *ctx = sp_pool_ctx(p);
  sp_mark mark = sp_scratch_mark(ctx);
  spi_seen seen = {.ctx = ctx};
  outer o = {0};
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  outer_collect(p, e, &o, &seen);
  sp_pool_mode(p, mode);
  sp_scratch_release(ctx, mark);
  return o;
}

static sp_expr equation(sp_pool *p, sp_expr a, sp_expr b) {
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr e = sp_eq(p, a, b);
  sp_pool_mode(p, mode);
  return e;
}

/* Reductions on one side that are pieces on the other: proved equalities. */
static sp_hyps pieces_lemmas(sp_prover *pr, const outer *whole,
                             const outer *parts, sp_hyps given, sp_hyps hyps) {
  sp_pool *p = pr->pool;
  for (uint32_t i = 0; i < whole->n_reds; i++) {
    sp_expr red = whole->red[i];
    for (uint32_t k = 0; k < parts->n_pieces; k++) {
      sp_expr e = parts->pieces[k];
      sp_red_op op;
      sp_num coef;
      if (!spi_is_pieces(p, e, &op, &coef) || op != sp_red_op_of(p, red) ||
          !spi_like_pieces(p, red, e) || !spi_pieces_equal(pr, red, e, given)) {
        continue;
      }
      sp_expr scaled = coef.v ? sp_scale(p, red, coef) : red;
      hyps = spi_hyps_with(pr, hyps, equation(p, scaled, e));
    }
  }
  return hyps;
}

/* A term without reductions that is the max, min, or, and of itself. */
static sp_hyps single_lemmas(sp_prover *pr, sp_expr e, const outer *o,
                             sp_hyps given, sp_hyps hyps) {
  sp_pool *p = pr->pool;
  for (uint32_t i = 0; i < o->n_reds; i++) {
    sp_red_op op = sp_red_op_of(p, o->red[i]);
    bool repeats = op != SP_RED_SUM && op != SP_RED_PROD;
    if (repeats && op != SP_RED_LAMBDA &&
        sp_sort_of(p, e) == sp_sort_of(p, o->red[i]) &&
        spi_pieces_equal(pr, e, o->red[i], given)) {
      hyps = spi_hyps_with(pr, hyps, equation(p, e, o->red[i]));
    }
  }
  return hyps;
}

/* Worth trying? Functions are compared point by point, which costs little, and
 * their raw bodies may differ in form; in logic a mask is part of the form. */
static bool may_be_equal(sp_pool *p, sp_expr x, sp_expr y, bool few) {
  sp_red_op op = sp_red_op_of(p, x);
  bool any_form = op == SP_RED_LAMBDA || op == SP_RED_OR || op == SP_RED_AND;
  return (few && any_form && op == sp_red_op_of(p, y)) ||
         sp_skeleton(p, x) == sp_skeleton(p, y);
}

typedef struct renaming {
  sp_expr from, to;
} renaming;

static sp_expr rename_node(void *env, sp_pool *p, sp_expr e) {
  const renaming *r = env;
  if (!sp_has_red(p, e)) {
    return e;
  }
  return e.v == r->from.v ? r->to : (sp_expr){0};
}

/* Extrema on one side that are equal and differ in form get one form: the other
 * side has nothing that says exp(m - n) is 1 where the maxima m and n are
 * equal. */
static sp_expr one_form(sp_prover *pr, sp_expr e, sp_hyps hyps) {
  sp_pool *p = pr->pool;
  outer o = outer_of(p, e);
  for (uint32_t i = 0; i < o.n_reds; i++) {
    for (uint32_t k = 0; k < i; k++) {
      sp_expr x = o.red[i], y = o.red[k];
      sp_red_op op = sp_red_op_of(p, x);
      bool extrema = op == SP_RED_MAX || op == SP_RED_MIN;
      if (extrema && x.v != y.v && sp_red_op_of(p, y) == op &&
          may_be_equal(p, x, y, true) && spi_red_equal(pr, x, y, hyps)) {
        renaming r = {x, y};
        e = sp_map(p, e, rename_node, &r);
        break;
      }
    }
  }
  return e;
}

static bool equal_by_lemmas(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps) {
  sp_pool *p = pr->pool;
  a = one_form(pr, a, hyps);
  b = one_form(pr, b, hyps);
  if (a.v == b.v) {
    return true;
  }
  outer oa = outer_of(p, a), ob = outer_of(p, b);
  if (sp_kind_of(p, a) == SP_KIND_RED && sp_kind_of(p, b) == SP_KIND_RED) {
    bool ok = spi_red_equal(pr, a, b, hyps);
    if (ok || oa.n_pieces + ob.n_pieces == 0) {
      return ok;
    }
  }
  sp_hyps given = hyps;
  bool few = oa.n_reds * ob.n_reds <= MAX_FORMS;
  for (uint32_t i = 0; i < oa.n_reds; i++) {
    for (uint32_t k = 0; k < ob.n_reds; k++) {
      sp_expr x = oa.red[i], y = ob.red[k];
      if (x.v != y.v && may_be_equal(p, x, y, few) &&
          spi_red_equal(pr, x, y, given)) {
        hyps = spi_hyps_with(pr, hyps, equation(p, x, y));
      }
    }
  }
  hyps = pieces_lemmas(pr, &oa, &ob, given, hyps);
  hyps = pieces_lemmas(pr, &ob, &oa, given, hyps);
  if (!sp_has_red(p, a)) {
    hyps = single_lemmas(pr, a, &ob, given, hyps);
  } else if (!sp_has_red(p, b)) {
    hyps = single_lemmas(pr, b, &oa, given, hyps);
  }
  const char *rule =
      hyps.n > given.n ? "equal given equal reductions" : "equal";
  sp_expr goal = equation(p, a, b);
  if (sp_prove_holds(pr, rule, goal, hyps)) {
    return true;
  }
  sp_hyps more = spi_extremum_facts(pr, a, b, hyps);
  if (more.n > hyps.n &&
      sp_prove_holds(pr, "equal given bounds of maxima", goal, more)) {
    return true;
  }
  more = spi_count_facts(pr, goal, hyps);
  return more.n > hyps.n &&
         sp_prove_holds(pr, "equal given what counts are", goal, more);
}

/* Sums are not split over + eagerly (a guard on one side would stop the match);
 * split both sides and try once more: a part may have one term. */
static bool split_and_equal(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps) {
  sp_expr x = sp_split_sums(pr->pool, a), y = sp_split_sums(pr->pool, b);
  if (x.v == a.v && y.v == b.v) {
    return false;
  }
  if (x.v == y.v || equal_by_lemmas(pr, x, y, hyps)) {
    return true;
  }
  sp_expr x1 = spi_onehot(pr, x), y1 = spi_onehot(pr, y);
  return (x1.v != x.v || y1.v != y.v) &&
         (x1.v == y1.v || equal_by_lemmas(pr, x1, y1, hyps));
}

static sp_expr simpler(sp_prover *pr, sp_expr e) {
  return spi_onehot(pr, spi_simpler_indices(pr, spi_join_choices(pr, e)));
}

/* Branch by branch of a choice; not again inside of one, nor where runs show
 * that something differs. */
static bool equal_by_branches(sp_prover *pr, sp_expr a, sp_expr b,
                              sp_hyps hyps) {
  if (pr->branching || pr->deadline > 0 || pr->depth > BRANCH_DEPTH) {
    return false;
  }
  pr->branching = true;
  bool ok = spi_equal_by_branches(pr, a, b, hyps);
  pr->branching = false;
  return ok;
}

/* The last resort: few points, written out. */
static bool equal_written_out(sp_prover *pr, sp_expr a, sp_expr b,
                              sp_hyps hyps) {
  if (pr->depth > 1) {
    return false;
  }
  sp_expr x = spi_written_out(pr, a, !pr->thorough);
  sp_expr y = spi_written_out(pr, b, !pr->thorough);
  return (x.v != a.v || y.v != b.v) &&
         (x.v == y.v || equal_by_lemmas(pr, x, y, hyps) ||
          (!sp_has_red(pr->pool, x) && !sp_has_red(pr->pool, y) &&
           equal_by_branches(pr, x, y, hyps)));
}

/* Forms of both sides, the cheap ones first. */
static bool prove_equal(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps) {
  sp_pool *p = pr->pool;
  if (!sp_has_red(p, a) && !sp_has_red(p, b)) {
    return spi_equal_on_each_rank(pr, a, b) ||
           sp_prove_holds(pr, "equal", equation(p, a, b), hyps) ||
           equal_by_branches(pr, a, b, hyps);
  }
  /* What is not proved on one rank would take long to fail on all at once. */
  if (pr->depth == 1 && spi_shorter_by_rank(p, a, b)) {
    return spi_equal_by_rank(pr, a, b, hyps);
  }
  sp_expr a1 = spi_onehot(pr, a), b1 = spi_onehot(pr, b);
  if (a1.v == b1.v) {
    return true;
  }
  /* Many choices make a failing attempt expensive: last where they join. */
  bool joins =
      pr->depth <= SIMPLER_DEPTH && (spi_join_choices(pr, a1).v != a1.v ||
                                     spi_join_choices(pr, b1).v != b1.v);
  if (!joins && (equal_by_lemmas(pr, a1, b1, hyps) ||
                 split_and_equal(pr, a1, b1, hyps))) {
    return true;
  }
  if (pr->depth > SIMPLER_DEPTH) {
    return false;
  }
  sp_expr a2 = simpler(pr, a1), b2 = simpler(pr, b1);
  if ((a2.v != a1.v || b2.v != b1.v) &&
      (a2.v == b2.v || equal_by_lemmas(pr, a2, b2, hyps) ||
       split_and_equal(pr, a2, b2, hyps))) {
    return true;
  }
  return (joins && (equal_by_lemmas(pr, a1, b1, hyps) ||
                    split_and_equal(pr, a1, b1, hyps))) ||
         equal_by_branches(pr, a1, b1, hyps) ||
         equal_written_out(pr, a, b, hyps);
}

bool sp_prove_equal(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps) {
  if (a.v == b.v) {
    return true; /* one term: nothing to prove */
  }
  sp_prover_look(pr);
  if (sp_sort_of(pr->pool, a) != sp_sort_of(pr->pool, b) ||
      pr->depth >= MAX_DEPTH || sp_prover_late(pr)) {
    return false;
  }
  if (hyps.n == 0) {
    const pair *known = pair_of(pr, a.v, b.v);
    if (known->used && (known->result || known->thorough || !pr->thorough)) {
      return known->result;
    }
  }
  pr->depth++;
  bool ok = prove_equal(pr, a, b, hyps);
  pr->depth--;
  /* Near the depth limit a failure may be the limit's. */
  if (hyps.n == 0 && (ok || pr->depth == 0)) {
    pair *slot = pair_of(pr, a.v, b.v);
    if (!slot->used) {
      pr->pairs_n++;
    }
    *slot = (pair){a.v, b.v, true, ok, pr->thorough};
  }
  return ok;
}
