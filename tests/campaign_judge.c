/* campaign_judge.c: read camp_judge: shard, break, run, ask, compare. */
#define _POSIX_C_SOURCE 200809L /* mkdir */
#include "tests/campaign_judge.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "graph/hlo.h"
#include "solve/check.h"
#include "solve/replay.h"

enum { RUNS = 4, TIMEOUT_MS = 1000 }; /* runs in each mode of drawing */

const char *camp_finding_text(camp_finding f) {
  static const char *const text[CAMP_N_FINDINGS] = {
      [CAMP_PROVED] = "right, REFINES",
      [CAMP_HARMLESS] = "broken without harm, REFINES",
      [CAMP_FOUND] = "broken, VIOLATION",
      [CAMP_MISSED] = "broken, UNPROVEN",
      [CAMP_UNDECIDED] = "broken without harm, UNPROVEN",
      [CAMP_UNPROVED] = "right, UNPROVEN",
      [CAMP_SLOW] = "slow: no verdict in time",
      [CAMP_WRONG_PROOF] = "WRONG REFINES",
      [CAMP_WRONG_VIOLATION] = "WRONG VIOLATION",
      [CAMP_WRONG_WITNESS] = "WRONG WITNESS",
      [CAMP_REFUSED] = "ERROR",
      [CAMP_CRASHED] = "CRASH",
      [CAMP_TOGETHER] = "REFINES, but not with --each-layer",
      [CAMP_OWN_MISTAKE] = "MISTAKE OF THE CAMPAIGN",
  };
  return text[f];
}

bool camp_is_failure(camp_finding f) {
  return f >= CAMP_WRONG_PROOF;
}

typedef struct pair {
  camp_mesh mesh;
  camp_program *seq;
  camp_sharded sharded;
  const char *before, *after;
} pair;

/* ---- files ---- */

static void write_text(const char *dir, const char *name, const char *text) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", dir, name);
  FILE *f = fopen(path, "w");
  if (f) {
    fputs(text, f);
    fclose(f);
  }
}

static void keep(sp_ctx *ctx, const pair *p, const camp_case *c,
                 const camp_judgement *j, const char *dir) {
  if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
    fprintf(stderr, "cannot make %s: %s\n", dir, strerror(errno));
    return;
  }
  write_text(dir, "before.hlo.txt", p->before);
  write_text(dir, "after.hlo.txt", p->after);
  write_text(dir, "why.txt",
             sp_format(ctx, "seed %llu: %s\nfault: %s\n%s\n",
                       (unsigned long long)c->seed,
                       camp_finding_text(j->finding),
                       *j->fault ? j->fault : "none", j->why));
}

/* ---- asking the library ---- */

typedef struct question {
  const pair *p;
  const sp_program *seq, *dist;
  const sp_report *report, *by_layer; /* by_layer: or NULL */
} question;

/* Of the parameters that are low. */
static void assume_low(sp_ctx *ctx, const camp_program *seq,
                       sp_check_options *options) {
  static const sp_stretch low = {0, 1};
  sp_assumed_range *out = sp_alloc_n(ctx, seq->params.n + 1, sizeof *out);
  for (size_t k = 0; k < seq->params.n; k++) {
    if (camp_at(seq, seq->params.v[k])->low) {
      out[options->n_assume++] =
          (sp_assumed_range){sp_format(ctx, "%zu", k), 1, &low};
    }
  }
  options->assume = out;
}

static void ask(sp_ctx *ctx, void *arg) {
  question *q = arg;
  q->seq = sp_hlo_read_text(ctx, "before.hlo.txt", q->p->before,
                            strlen(q->p->before));
  q->dist =
      sp_hlo_read_text(ctx, "after.hlo.txt", q->p->after, strlen(q->p->after));
  /* Without running, which would hide a wrong proof; then with it. */
  sp_check_options options = {.timeout_ms = TIMEOUT_MS, .run_budget = -1};
  assume_low(ctx, q->p->seq, &options);
  q->report = sp_check(ctx, q->seq, q->dist, &options);
  if (q->p->seq->period && q->report->verdict == SP_REFINES) {
    options.each_layer = true;
    q->by_layer = sp_check(ctx, q->seq, q->dist, &options);
  } else if (q->report->verdict != SP_REFINES) {
    options.run_budget = 0;
    q->report = sp_check(ctx, q->seq, q->dist, &options);
  }
}

static void say_why(camp_judgement *j, const question *q) {
  const sp_report *r = q->report;
  size_t n = r->n_frontier < 3 ? r->n_frontier : 3, at = 0;
  for (size_t i = 0; i < n && at < sizeof j->why; i++) {
    const sp_report_tensor *t = &r->tensors[r->frontier[i]];
    at += (size_t)snprintf(j->why + at, sizeof j->why - at, "%s%s %s %s: %s",
                           i ? "; " : "", t->op, t->name, t->shape,
                           t->nearest ? t->nearest
                           : t->why   ? t->why
                                      : "");
  }
  for (size_t i = 0; !n && i < r->n_outputs; i++) {
    if (!r->outputs[i].proved) {
      snprintf(j->why, sizeof j->why, "result %s %s: %s", r->outputs[i].name,
               r->outputs[i].relation ? r->outputs[i].relation : "",
               r->outputs[i].why ? r->outputs[i].why : "");
      return;
    }
  }
}

/* ---- a witness ---- */

/* Its inputs, run by our own interpreter: do the programs differ there? */
static bool witness_holds(sp_ctx *ctx, const pair *p, const question *q) {
  sp_problem problem = sp_problem_of_pair(ctx, q->seq, q->dist);
  sp_check_options options = {0};
  assume_low(ctx, p->seq, &options);
  sp_problem_assume(ctx, &problem, options.assume, options.n_assume);
  sp_replay replay = sp_replay_inputs(ctx, &problem, q->report->counterexample);
  size_t devices = (size_t)p->mesh.devices, n = p->seq->params.n;
  camp_inputs in = {.seq = sp_alloc_n(ctx, n + 1, sizeof(double *)),
                    .dist = sp_alloc_n(ctx, n * devices + 1, sizeof(double *))};
  for (size_t k = 0; k < n; k++) {
    size_t count = (size_t)camp_elements(camp_at(p->seq, p->seq->params.v[k]));
    size_t local = (size_t)camp_elements(
        camp_at(p->sharded.dist, p->sharded.dist->params.v[k]));
    in.seq[k] = sp_alloc_n(ctx, count + 1, sizeof(double));
    memcpy(in.seq[k], sp_machine_values(replay.seq, q->seq->params[k], 0),
           count * sizeof(double));
    for (size_t d = 0; d < devices; d++) {
      double *v = sp_alloc_n(ctx, local + 1, sizeof *v);
      memcpy(v, sp_machine_values(replay.dist, q->dist->params[k], (int64_t)d),
             local * sizeof *v);
      in.dist[k * devices + d] = v;
    }
  }
  camp_difference difference;
  return camp_differ(ctx, p->seq, &p->sharded, &p->mesh, &in, true,
                     &difference);
}

typedef struct replayed {
  const pair *p;
  const question *q;
  bool holds;
} replayed;

static void replay(sp_ctx *ctx, void *arg) {
  replayed *r = arg;
  r->holds = witness_holds(ctx, r->p, r->q);
}

/* ---- judging ---- */

static bool programs_differ(sp_ctx *ctx, const pair *p, uint64_t seed,
                            camp_difference *out) {
  for (uint32_t run = 0; run < RUNS * CAMP_MODES; run++) {
    camp_inputs in = camp_inputs_draw(ctx, p->seq, &p->sharded, &p->mesh,
                                      seed + run, run % CAMP_MODES);
    if (camp_differ(ctx, p->seq, &p->sharded, &p->mesh, &in, false, out)) {
      return true;
    }
  }
  return false;
}

static camp_finding of_verdict(sp_ctx *ctx, const pair *p, const question *q,
                               bool broken, bool differ) {
  replayed r = {p, q, false};
  switch (q->report->verdict) {
  case SP_REFINES:
    return differ ? CAMP_WRONG_PROOF : broken ? CAMP_HARMLESS : CAMP_PROVED;
  case SP_VIOLATION:
    if (!broken) {
      return CAMP_WRONG_VIOLATION;
    }
    sp_protect(ctx, replay, &r);
    return r.holds ? CAMP_FOUND : CAMP_WRONG_WITNESS;
  case SP_UNPROVEN:
    break;
  }
  return !broken ? CAMP_UNPROVED : differ ? CAMP_MISSED : CAMP_UNDECIDED;
}

static void say_difference(camp_judgement *j, const pair *p,
                           const camp_difference *d) {
  snprintf(j->why, sizeof j->why,
           "result %u (%%n%u) on device %lld, element %lld: %.9g, not %.9g",
           d->result, p->sharded.dist->results.v[d->result],
           (long long)d->device, (long long)d->flat, d->got, d->want);
}

camp_judgement camp_judge(sp_ctx *ctx, const camp_case *c, const char *dir) {
  camp_judgement j = {.finding = CAMP_OWN_MISTAKE};
  pair p = {.mesh = camp_mesh_draw(ctx, c->seed),
            .seq = camp_case_program(ctx, c)};
  p.sharded = camp_shard(ctx, p.seq, &p.mesh, c->seed);
  const char *fault =
      !c->broken ? NULL
      : p.seq->period
          ? camp_break_layer(ctx, p.seq, &p.sharded, &p.mesh, c->seed)
          : camp_break(p.sharded.dist, &p.mesh, c->seed, 0, UINT32_MAX);
  snprintf(j.fault, sizeof j.fault, "%s", fault ? fault : "");
  p.before = camp_print(ctx, p.seq, &p.mesh, p.sharded.params,
                        p.sharded.results, "sequential");
  p.after = camp_print(ctx, p.sharded.dist, &p.mesh, NULL, NULL, "of_device");
  j.uneven = p.mesh.uneven;
  j.odd = p.mesh.odd;
  j.nodes = (uint32_t)p.seq->nodes.n;
  j.dist_nodes = (uint32_t)p.sharded.dist->nodes.n;
  camp_difference difference;
  bool differ = programs_differ(ctx, &p, c->seed, &difference);
  if (dir) { /* before anything can go wrong */
    keep(ctx, &p, c, &j, dir);
  }
  question q = {.p = &p};
  if (differ && !fault) {
    say_difference(&j, &p, &difference);
  } else if (sp_protect(ctx, ask, &q) != SP_OK) {
    const sp_error *e = sp_ctx_error(ctx);
    j.finding = CAMP_REFUSED;
    snprintf(j.why, sizeof j.why, "%s:%u: %.200s (%.100s)",
             e->loc.file ? e->loc.file : "", e->loc.line, e->message, e->hint);
  } else {
    for (size_t i = 0; i < q.report->n_tensors; i++) {
      j.alike += q.report->tensors[i].like != NULL;
    }
    j.finding = of_verdict(ctx, &p, &q, fault != NULL, differ);
    if (j.finding == CAMP_WRONG_PROOF) {
      say_difference(&j, &p, &difference);
    } else if (q.by_layer && q.by_layer->verdict != SP_REFINES) {
      j.finding = CAMP_TOGETHER;
    } else if (q.report->verdict == SP_VIOLATION) {
      snprintf(j.why, sizeof j.why, "%.390s", q.report->sentence);
    } else if (q.report->verdict == SP_UNPROVEN) {
      say_why(&j, &q);
    }
  }
  if (dir) {
    keep(ctx, &p, c, &j, dir);
  }
  return j;
}
