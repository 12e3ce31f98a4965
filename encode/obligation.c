/* obligation.c: read sp_prove: state, look up, ask, remember. */
#include "encode/obligation.h"

#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "encode/abstract.h"
#include "encode/smtlib.h"
#include "encode/z3.h"

/* A formula that was asked, by value. */
typedef struct entry {
  XXH128_hash_t hash;
  const uint32_t *words; /* NULL: a free slot */
  size_t n_words;
  sp_answer answer;
  const char *trouble;
} entry;

/* So many obligations may use up the whole limit, so many more a tenth; a limit
 * for those in a hurry is used up as often before they get a tenth of it. */
enum { PATIENCE = 2, LITTLE_PATIENCE = 20 };

struct sp_solver {
  sp_ctx *ctx;
  sp_pool *pool;
  sp_solver_options options;
  sp_formula *formula;
  spi_abstract *abstract;
  sp_z3 *z3;
  entry *entries; /* open addressing */
  size_t n_entries, n_slots;
  uint32_t tired; /* obligations that used up the whole limit */
  uint32_t hasty; /* that used up the one for those in a hurry */
  uint32_t hurry; /* a limit in milliseconds, or 0 */
  uint32_t left;  /* what is left of the whole check's work, or 0 */
  sp_fails *fails;
  void *user;  /* of fails */
  sp_str text; /* of the SMT-LIB file; storage is used again */
  sp_solver_stats stats;
  const char *trouble;
};

sp_solver *sp_solver_new(sp_pool *pool, const sp_solver_options *o) {
  sp_ctx *ctx = sp_pool_ctx(pool);
  sp_solver *s = sp_alloc(ctx, sizeof *s);
  s->ctx = ctx;
  s->pool = pool;
  if (o != NULL)
    s->options = *o;
  s->formula = sp_formula_new(ctx);
  s->abstract = spi_abstract_new(pool);
  s->z3 = sp_z3_new(ctx, s->options.timeout_ms);
  s->trouble = "";
  return s;
}

/* ---- memory ---- */

/* The slot of the formula, or the free one where it belongs. */
static entry *find(entry *entries, size_t n_slots, const entry *key) {
  size_t i = (size_t)key->hash.low64 & (n_slots - 1);
  for (;; i = (i + 1) & (n_slots - 1)) {
    entry *e = &entries[i];
    if (e->words == NULL)
      return e;
    if (XXH128_isEqual(e->hash, key->hash) && e->n_words == key->n_words &&
        memcmp(e->words, key->words, key->n_words * sizeof *e->words) == 0)
      return e;
  }
}

static void make_room(sp_solver *s) {
  if (s->n_entries * 2 < s->n_slots)
    return;
  size_t n = s->n_slots == 0 ? 256 : s->n_slots * 2;
  entry *bigger = sp_alloc_n(s->ctx, n, sizeof *bigger);
  for (size_t i = 0; i < s->n_slots; i++)
    if (s->entries[i].words != NULL)
      *find(bigger, n, &s->entries[i]) = s->entries[i];
  s->entries = bigger;
  s->n_slots = n;
}

static entry *remember(sp_solver *s, entry *free_slot, entry e) {
  uint32_t *copy = sp_alloc_n(s->ctx, e.n_words, sizeof *copy);
  memcpy(copy, e.words, e.n_words * sizeof *copy);
  e.words = copy;
  *free_slot = e;
  s->n_entries++;
  return free_slot;
}

/* ---- asking ---- */

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void sp_solver_hurry(sp_solver *s, uint32_t timeout_ms) {
  s->hurry = timeout_ms;
}

void sp_solver_left(sp_solver *s, uint32_t left_ms) {
  s->left = left_ms;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
  return a == 0 || (b > 0 && b < a) ? b : a;
}

/* Milliseconds for the next obligation; 0: as many as it takes. */
static uint32_t limit(const sp_solver *s) {
  uint32_t ms = s->options.timeout_ms, hurry = s->hurry;
  if (s->tired >= PATIENCE && ms) {
    ms = ms / (s->tired < LITTLE_PATIENCE ? 10 : 100) + 1;
  }
  if (s->hasty >= LITTLE_PATIENCE && hurry) {
    hurry = hurry / 10 + 1;
  }
  return smaller(smaller(ms, hurry), s->left);
}

void sp_solver_try_first(sp_solver *s, sp_fails *fails, void *user) {
  s->fails = fails;
  s->user = user;
}

static bool fails_somewhere(sp_solver *s, uint32_t n_hyps, const sp_expr *hyps,
                            sp_expr goal) {
  if (s->fails == NULL || !s->fails(s->user, n_hyps, hyps, goal))
    return false;
  s->stats.failed++;
  s->stats.by_value++;
  return true;
}

static sp_answer ask(sp_solver *s, const char **trouble) {
  double start = now();
  uint64_t steps = sp_z3_steps(s->z3);
  sp_z3_limit(s->z3, limit(s));
  sp_z3_answer z = sp_z3_check(s->z3, s->formula);
  s->stats.seconds += now() - start;
  s->stats.steps += sp_z3_steps(s->z3) - steps;
  s->tired += z == SP_Z3_UNKNOWN && s->hurry == 0;
  s->hasty += z == SP_Z3_UNKNOWN && s->hurry > 0;
  if (z != SP_Z3_UNSAT) {
    s->stats.failed++;
    s->stats.steps_failed += sp_z3_steps(s->z3) - steps;
  }
  s->stats.tired += z == SP_Z3_UNKNOWN;
  *trouble = "";
  switch (z) {
  case SP_Z3_UNSAT:
    return SP_PROVED;
  case SP_Z3_SAT:
    return SP_REFUTED;
  case SP_Z3_UNKNOWN:
    break;
  }
  *trouble = sp_strdup(s->ctx, sp_z3_trouble(s->z3));
  return SP_UNKNOWN;
}

static const char *note(void *user, uint32_t decl) {
  return spi_abstract_note(user, decl);
}

static void dump(sp_solver *s, const char *rule, const char *about,
                 const entry *e) {
  static const char *const names[] = {[SP_PROVED] = "proved",
                                      [SP_REFUTED] = "not proved",
                                      [SP_UNKNOWN] = "unknown"};
  sp_smtlib_notes notes = {rule, about, names[e->answer], note, s->abstract};
  s->text.n = 0;
  sp_smtlib_print(&s->text, s->formula, e->answer == SP_PROVED, &notes);
  sp_smtlib_write(s->ctx, s->options.smt2_dir, s->stats.distinct, rule,
                  &s->text);
}

static void keep(sp_solver *s, sp_asked asked) {
  const sp_smtlib_notes notes = {.decl = note, .user = s->abstract};
  sp_str text = {0};
  sp_smtlib_print(&text, s->formula, asked.answer == SP_PROVED, &notes);
  sp_expr *hyps = sp_alloc_n(s->ctx, asked.n_hyps + 1, sizeof *hyps);
  if (asked.n_hyps)
    memcpy(hyps, asked.hyps, asked.n_hyps * sizeof *hyps);
  asked.hyps = hyps;
  asked.pool = s->pool;
  asked.smtlib = text.v;
  sp_push(s->ctx, s->options.log, asked);
}

static sp_answer answered(sp_solver *s, sp_answer a, const char *trouble) {
  s->trouble = trouble;
  switch (a) {
  case SP_PROVED:
    s->stats.proved++;
    break;
  case SP_REFUTED:
    s->stats.refuted++;
    break;
  case SP_UNKNOWN:
    s->stats.unknown++;
    break;
  }
  return a;
}

sp_answer sp_prove(sp_solver *s, const char *rule, const char *about,
                   uint32_t n_hyps, const sp_expr *hyps, sp_expr goal) {
  s->stats.asked++;
  const char *refusal =
      spi_abstract_obligation(s->abstract, s->formula, n_hyps, hyps, goal);
  if (refusal != NULL)
    return answered(s, SP_UNKNOWN, refusal);
  entry key = {.answer = SP_UNKNOWN};
  key.words = sp_formula_key(s->formula, &key.n_words);
  key.hash = XXH3_128bits(key.words, key.n_words * sizeof *key.words);
  make_room(s);
  entry *e = find(s->entries, s->n_slots, &key);
  if (e->words != NULL && !s->options.no_cache) {
    s->stats.cache_hits++;
    return answered(s, e->answer, e->trouble);
  }
  key.trouble = "";
  key.answer = fails_somewhere(s, n_hyps, hyps, goal) ? SP_REFUTED
                                                      : ask(s, &key.trouble);
  if (e->words == NULL) {
    s->stats.distinct++;
    e = remember(s, e, key);
    if (s->options.smt2_dir != NULL)
      dump(s, rule, about, e);
    if (s->options.log != NULL)
      keep(s, (sp_asked){.rule = rule,
                         .about = about,
                         .n_hyps = n_hyps,
                         .hyps = hyps,
                         .goal = goal,
                         .answer = e->answer});
  }
  return answered(s, key.answer, key.trouble);
}

const sp_solver_stats *sp_solver_statistics(const sp_solver *s) {
  return &s->stats;
}

const char *sp_solver_trouble(const sp_solver *s) {
  return s->trouble;
}
