/* doubt.c: a few cheap runs before anything is proved.
 *
 * Where the programs differ on drawn inputs no proof will be found, and looking
 * for one takes long: terms of what is unrelated grow. Then little is proved,
 * enough to say where. And a proof is over the reals: that the distributed
 * program has no value (0 * inf, a maximum that keeps -inf) where the
 * sequential one has one is seen here alone.
 *
 * Programs that are too large for that are run in part (solve/sample.h), which
 * costs more: not before the proof is in trouble. What was made for runs that
 * say nothing is of no use to a proof: they have a context and a pool of their
 * own.
 */
#include "solve/lost.h"
#include "solve/sample.h"
#include "solve/witness.h"

/* Of the budget of a run. */
static const double SHARE = 0.05, SHARE_LATER = 0.2, SHARE_WHOLE = 0.4;
static const double MAX_INPUT_BYTES = 16e6;

/* Obligations that were not proved, of these such that took all the time there
 * is, Z3's steps for them, and terms: of all, and of one tensor. A proof that
 * is found has seldom more; a cheap sample takes less than these. Of a program
 * of so many tensors; larger ones may have more. No clock: what is tried does
 * not depend on what else the machine does. */
enum { MANY_FAILED = 60, MANY_TIRED = 2, MANY_TERMS = 150000 };
enum {
  MORE_TERMS = 100000,
  MANY_STEPS = 500000,
  MANY_OF_ONE = 25000,
  TENSORS = 300,
  MORE_PARTS = 4,
  MANY_LOST = 12
};

typedef struct doubting {
  sp_state *s;
  sp_check_options few; /* those of s, with a smaller budget */
  bool found;
  bool ran; /* all of both programs, or the samples */
} doubting;

static doubting doubt(sp_state *s, double share) {
  doubting d = {.s = s, .few = *s->options};
  d.few.run_budget = share * spi_bench_budget(s);
  return d;
}

static void run(sp_ctx *own, void *arg) {
  doubting *d = arg;
  sp_counterexample c = {0};
  uint32_t times = 0;
  const char *why = NULL;
  spi_bench *b =
      spi_bench_new(spi_runnable(own, d->s->problem, &d->few), NULL, false);
  for (int mode = 0;
       mode < SPI_DRAW_RARE && !d->found && !why && b->spent <= b->budget;
       mode++) {
    d->found = spi_hunt(b, (spi_draw_mode)mode, 1, &c, &times, &why);
  }
  d->ran = why == NULL && b->ran;
}

/* Was a difference found when these programs were the other form? */
static bool is_known(sp_state *s) {
  const sp_other_form *other = s->options->other;
  spi_difference *known = other ? other->difference : NULL;
  if (!known || known->bench->s->problem != s->problem) {
    return false;
  }
  known->bench->s = s;
  s->difference = known;
  s->ran = true;
  return true;
}

bool spi_doubt(sp_state *s) {
  doubting d = doubt(s, SHARE);
  if (s->options->run_budget < 0) {
    return false;
  }
  if (is_known(s)) {
    return true;
  }
  if (spi_input_bytes(s) > MAX_INPUT_BYTES ||
      sp_apart(s->ctx, run, &d) != SP_OK) {
    return false;
  }
  s->ran = d.ran;
  return d.found;
}

/* ---- later ---- */

/* Whole programs show a difference in any result, and with nothing that is
 * zero. Why they were not run, or NULL. */
static const char *run_whole(doubting *d, spi_difference *found) {
  if (spi_input_bytes(d->s) > MAX_INPUT_BYTES) {
    return "they have large inputs";
  }
  const char *why = NULL;
  uint32_t times = 0;
  d->few.run_budget *= SHARE_WHOLE / SHARE_LATER;
  spi_bench *b = spi_bench_new(d->s, NULL, false);
  d->few.run_budget *= SHARE_LATER / SHARE_WHOLE;
  for (int mode = 0; mode < spi_draw_modes(d->s->problem) && !d->found &&
                     !why && b->spent <= b->budget;
       mode++) {
    d->found = spi_hunt(b, (spi_draw_mode)mode, 1, &found->c, &times, &why);
  }
  found->bench = b;
  return why;
}

/* What is found is kept: it is not looked for again. */
static void sample(sp_ctx *ctx, void *arg) {
  doubting *d = arg;
  spi_difference *found = sp_alloc(ctx, sizeof *found);
  d->ran = !run_whole(d, found);
  d->s->ran = d->s->ran || d->ran; /* once is enough */
  if (!d->ran) {
    spi_samples x = {.cheap = true};
    spi_look_in_samples(d->s, NULL, &x, &found->c);
    d->ran = x.why == NULL;
    d->found = x.found != NULL;
    found->bench = x.found;
  }
  if (d->found) {
    d->s->difference = found;
  }
}

/* The same in another form of the programs. Where they differ it is this form
 * that is not to be proved any more. */
static void sample_otherwise(sp_ctx *ctx, void *arg) {
  doubting *d = arg;
  sp_state *s = d->s;
  sp_other_form *other = s->options->other;
  const sp_problem *problem = other->make(ctx, other);
  if (!problem || problem == s->problem) {
    return;
  }
  spi_difference *found = sp_alloc(ctx, sizeof *found);
  spi_samples x = {.cheap = true};
  spi_look_in_samples(spi_runnable(ctx, problem, &d->few), NULL, &x, &found->c);
  d->found = x.found != NULL;
  if (d->found) {
    found->bench = x.found;
    other->difference = found;
  }
}

static bool in_trouble(const sp_state *s) {
  const sp_solver_stats *z = sp_solver_statistics(s->solver);
  uint64_t size = 1 + s->problem->dist->n_tensors / TENSORS;
  return z->failed >= size * MANY_FAILED || z->tired >= MANY_TIRED ||
         z->steps_failed >= size * MANY_STEPS ||
         sp_prover_spent(s->prover) >= MANY_OF_ONE ||
         sp_pool_size(s->pool) >= MANY_TERMS + size * MORE_TERMS;
}

/* A sample that showed nothing was taken before the proof came to where the
 * programs differ, perhaps. Terms grow with what is not related; much that is
 * related takes many, too. So when there are more by a part it is asked whether
 * tensors are lost: then another sample looks where that would show. */
static bool is_lost_since(sp_state *s) {
  size_t terms = sp_pool_size(s->pool);
  if (terms < s->many_terms) {
    return false;
  }
  s->many_terms = terms + terms / MORE_PARTS;
  return spi_lost(s, NULL) >= MANY_LOST;
}

/* About the whole programs: while a loop's body is walked the state shows that
 * body as if it were the program. */
static void sample_now(sp_state *s) {
  doubting d = doubt(s, SHARE_LATER), other = d;
  const sp_check_options *options = s->options;
  const sp_program *walked = s->dist_program;
  s->options = &d.few;
  s->dist_program = s->problem->dist;
  if (sp_protect(s->ctx, sample, &d) != SP_OK) {
    d.found = false;
  }
  s->options = options;
  s->dist_program = walked;
  if (!d.ran && options->other) {
    s->in_vain =
        sp_protect(s->ctx, sample_otherwise, &other) == SP_OK && other.found;
  }
  if (d.found) {
    spi_hasten(s);
  }
  if (s->in_vain) {
    sp_prover_deadline(s->prover, 0, 0);
  }
}

static void look(sp_state *s) {
  s->ran = s->many_terms > 0; /* twice at most */
  sp_mode mode = sp_pool_mode(s->pool, SP_MODE_NORMAL);
  size_t before = sp_pool_size(s->pool);
  sample_now(s);
  sp_pool_mode(s->pool, mode);
  size_t terms = sp_pool_size(s->pool);
  s->many_terms = terms + terms / MORE_PARTS;
  if (!s->difference) {
    sp_prover_excuse(s->prover, terms - before);
  }
}

bool spi_doubt_now(sp_state *s) {
  if (s->options->run_budget >= 0 && !s->ran && !s->difference && !s->in_vain) {
    look(s);
    s->ran = true;
  }
  return s->difference || s->in_vain;
}

static void watch(void *user) {
  sp_state *s = user;
  if (s->ran || s->difference ||
      !(s->many_terms ? is_lost_since(s) : in_trouble(s))) {
    return;
  }
  look(s);
}

void spi_doubt_later(sp_state *s) {
  bool may = s->options->run_budget >= 0;
  sp_prover_watch(s->prover, may ? watch : NULL, s);
}
