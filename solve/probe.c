/* probe.c: terms at a few places, drawn at random: read sp_probe_equal, for
 * what may be equal, and spi_fails_somewhere, for what the solver is asked.
 * What differs there is not proved; what agrees says nothing. */
#include "solve/probe.h"

#include <math.h>

enum { PROBE_BUDGET = 30000, PROBE_PLACES = 32, PROBED = 2048 };

/* An obligation is looked at in so many places, if its terms are not too large
 * for that: borders are rarely hit. Most of what is false is so in the first
 * three. */
enum { GOAL_PLACES = 48, GOAL_BUDGET = 40000 };
enum { RARE_PLACES = 1000, RARE_BUDGET = 2000000 };

/* The value of a term at a point: one term is compared with many. */
typedef struct probed {
  uint64_t key; /* of both; 0: none, since no term is */
  uint64_t budget;
  bool known; /* it was not too long */
  sp_value v;
} probed;

struct spi_probes {
  probed probed[PROBED];
};

spi_probes *spi_probes_new(sp_ctx *ctx) {
  return sp_alloc(ctx, sizeof(spi_probes));
}

static uint64_t mix(uint64_t h, uint64_t x) {
  h ^= x + 0x9E3779B97F4A7C15u + (h << 6) + (h >> 2);
  h *= 0xBF58476D1CE4E5B9u;
  return h ^ (h >> 29);
}

typedef struct probe {
  sp_pool *p;
  uint64_t seed;
  bool corners; /* variables are rather the first or last number */
  bool careful; /* functions of which facts are known have no value */
} probe;

static int64_t probe_var(void *user, sp_expr v) {
  probe *pb = user;
  int64_t n = sp_var_extent(pb->p, v); /* 0: of a tensor without elements */
  uint64_t h = mix(pb->seed, v.v);
  if (n <= 0 || (pb->corners && h >> 60 < 5)) {
    return 0;
  }
  return pb->corners && h >> 60 < 10 ? n - 1 : (int64_t)(h % (uint64_t)n);
}

/* Sums and products of a few of these are exact. */
static double short_fraction(uint64_t h) {
  return (double)(h % 2001) / 1024.0 - 1.0;
}

/* A value that would be in a gap of the symbol's range is beside one. */
static int64_t beyond_gap(const sp_pool *p, sp_sym s, uint64_t h, int64_t v) {
  const sp_stretch *gap;
  uint32_t n = sp_sym_gaps(p, s, &gap);
  for (uint32_t i = 0; i < n; i++) {
    if (v >= gap[i].lo && v <= gap[i].hi) {
      const sp_stretch *any = &gap[(h >> 40) % n];
      return h >> 39 & 1 ? any->lo - 1 : any->hi + 1;
    }
  }
  return v;
}

static sp_value probe_read(void *user, sp_sym s, uint32_t n,
                           const int64_t *idx) {
  probe *pb = user;
  uint64_t h = mix(pb->seed, s.v);
  for (uint32_t i = 0; i < n; i++) {
    h = mix(h, (uint64_t)idx[i]);
  }
  sp_value v = {.sort = sp_sym_sort(pb->p, s)};
  v.b = h & 1;
  v.r = short_fraction(h);
  if (sp_sym_not_negative(pb->p, s)) {
    v.r = fabs(v.r);
  }
  int64_t lo, hi;
  sp_sym_range(pb->p, s, &lo, &hi);
  if (lo < -64 || lo > hi) {
    lo = hi < -64 ? hi : -64;
  }
  if (hi > lo + 4096) {
    hi = lo + 4096;
  }
  v.i = beyond_gap(pb->p, s, h, lo + (int64_t)(h % (uint64_t)(hi - lo + 1)));
  return v;
}

/* Any function will do, as long as it is one, and commutes where obligations
 * say so. */
static bool probe_fn(void *user, const char *name, uint32_t n,
                     const sp_value *args, sp_value *out) {
  probe *pb = user;
  uint64_t h = pb->seed;
  if (pb->careful && sp_fn_is_pick(pb->p, name)) {
    return false;
  }
  for (const char *c = name; *c; c++) {
    h = mix(h, (unsigned char)*c);
  }
  uint64_t sum = 0;
  bool commutes = sp_fn_commutes(name);
  for (uint32_t i = 0; i < n; i++) {
    double r = args[i].sort == SP_SORT_REAL  ? args[i].r
               : args[i].sort == SP_SORT_INT ? (double)args[i].i
                                             : (double)args[i].b;
    if (!isfinite(r) || fabs(r) > 1e12) {
      return false;
    }
    uint64_t x = (uint64_t)(int64_t)llround(r * 1e5);
    sum += mix(pb->seed, x);
    h = commutes ? h : mix(h, x);
  }
  h = commutes ? mix(h, sum) : h;
  out->r = short_fraction(h);
  out->i = (int64_t)(h % 64);
  out->b = h & 1;
  return true;
}

static bool differ(const sp_value *a, const sp_value *b) {
  switch (a->sort) {
  case SP_SORT_INT:
    return a->i != b->i;
  case SP_SORT_BOOL:
    return a->b != b->b;
  case SP_SORT_REAL:
    break;
  }
  if (!isfinite(a->r) || !isfinite(b->r)) {
    return isfinite(a->r) != isfinite(b->r);
  }
  double scale = fabs(a->r) + fabs(b->r) + 1e-3;
  return fabs(a->r - b->r) > 1e-6 * scale;
}

/* Places are numbered: point + k * SP_PROBE_POINTS is the k-th that is tried
 * for a point. */
static bool value_at(sp_prover *pr, sp_expr e, uint64_t place, uint64_t budget,
                     sp_value *out) {
  probe pb = {.p = sp_prover_pool(pr), .seed = mix(0x5EED, place)};
  sp_eval_env env = {.user = &pb,
                     .var = probe_var,
                     .read = probe_read,
                     .fn = probe_fn,
                     .budget = budget};
  return sp_eval(sp_prover_pool(pr), e, &env, out);
}

/* The same from memory. */
static bool probed_at(sp_prover *pr, sp_expr e, uint64_t place, uint64_t budget,
                      sp_value *out) {
  uint64_t key = e.v * (uint64_t)(SP_PROBE_POINTS * PROBE_PLACES) + place;
  probed *x = &sp_prover_probes(pr)->probed[mix(key, 0) % PROBED];
  if (x->key != key || (!x->known && x->budget < budget)) {
    sp_value v = {.sort = sp_sort_of(sp_prover_pool(pr), e)};
    bool known = value_at(pr, e, place, budget, &v);
    *x = (probed){key, budget, known, v};
  }
  *out = x->v;
  return x->known;
}

static bool hold_at(sp_prover *pr, sp_hyps hyps, uint64_t place,
                    uint64_t budget) {
  sp_value x;
  for (uint32_t i = 0; i < hyps.n; i++) {
    if (!probed_at(pr, hyps.v[i], place, budget, &x) || !x.b) {
      return false;
    }
  }
  return true;
}

/* A place where the hypotheses hold: the side of a border may be a single rank,
 * and where nothing is compared everything seems equal. */
static bool find_place(sp_prover *pr, sp_hyps hyps, uint64_t point,
                       uint64_t budget, uint64_t *place) {
  for (uint64_t k = 0; k < PROBE_PLACES; k++) {
    *place = point + k * SP_PROBE_POINTS;
    if (hold_at(pr, hyps, *place, budget)) {
      return true;
    }
  }
  return false;
}

bool sp_probe(sp_prover *pr, sp_expr e, sp_hyps hyps, uint64_t budget,
              sp_probe_values *out) {
  for (uint64_t point = 0; point < SP_PROBE_POINTS; point++) {
    uint64_t *place = &out->place[point];
    out->applies[point] = find_place(pr, hyps, point, budget, place);
    if (out->applies[point] &&
        !probed_at(pr, e, *place, budget, &out->v[point])) {
      return false;
    }
  }
  return true;
}

/* Where evaluation finds a place, the solver need not. */
bool sp_prove_never(sp_prover *pr, const char *rule, sp_expr guard,
                    sp_hyps hyps) {
  uint64_t place;
  return !sp_prover_late(pr) &&
         !find_place(pr, spi_hyps_with(pr, hyps, guard), 0, PROBE_BUDGET,
                     &place) &&
         sp_prove_holds(pr, rule, sp_not(sp_prover_pool(pr), guard), hyps);
}

bool sp_probe_like(sp_prover *pr, sp_expr e, uint64_t budget,
                   const sp_probe_values *want) {
  for (uint64_t point = 0; point < SP_PROBE_POINTS; point++) {
    sp_value got;
    if (want->applies[point] &&
        (!probed_at(pr, e, want->place[point], budget, &got) ||
         differ(&want->v[point], &got))) {
      return false;
    }
  }
  return true;
}

bool sp_probe_equal(sp_prover *pr, sp_expr a, sp_expr b, sp_hyps hyps) {
  if (sp_prover_late(pr)) {
    return false;
  }
  for (uint64_t point = 0; point < SP_PROBE_POINTS; point++) {
    sp_value x, y;
    uint64_t place;
    if (!find_place(pr, hyps, point, PROBE_BUDGET, &place)) {
      continue;
    }
    if (!probed_at(pr, a, place, PROBE_BUDGET, &x) ||
        !probed_at(pr, b, place, PROBE_BUDGET, &y)) {
      return true;
    }
    if (differ(&x, &y)) {
      return false;
    }
  }
  return true;
}

/* ---- obligations ---- */

static bool fails_at(sp_prover *pr, uint32_t n_hyps, const sp_expr *hyps,
                     sp_expr goal, uint64_t places, uint64_t budget) {
  sp_pool *p = sp_prover_pool(pr);
  probe pb = {.p = p, .careful = true};
  sp_eval_env env = {.user = &pb,
                     .var = probe_var,
                     .read = probe_read,
                     .fn = probe_fn,
                     .budget = budget,
                     .rough = true};
  for (uint64_t place = 0; place < places && env.budget > 0; place++) {
    pb.seed = mix(0x60A1, place);
    pb.corners = place % 2 != 0;
    sp_value x;
    bool holds = true;
    for (uint32_t i = 0; holds && i < n_hyps; i++) {
      holds = sp_eval(p, hyps[i], &env, &x) && x.b;
    }
    if (holds && sp_eval(p, goal, &env, &x) && !x.b) {
      return true;
    }
  }
  return false;
}

bool spi_fails_somewhere(void *user, uint32_t n_hyps, const sp_expr *hyps,
                         sp_expr goal) {
  return fails_at(user, n_hyps, hyps, goal, GOAL_PLACES, GOAL_BUDGET);
}

bool spi_fails_rarely(sp_prover *pr, sp_expr goal) {
  return fails_at(pr, 0, NULL, goal, RARE_PLACES, RARE_BUDGET);
}
