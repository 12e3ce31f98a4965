/* check.c: read sp_check, from the bottom up. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "solve/check.h"

#include "solve/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static sp_loc in_file(const sp_program *p) {
  return (sp_loc){.file = p->file};
}

void spi_assumption(void *state, const char *sentence) {
  sp_state *s = state;
  for (size_t i = 0; i < s->assumptions.n; i++) {
    if (strcmp(s->assumptions.v[i], sentence) == 0) {
      return;
    }
  }
  sp_push(s->ctx, &s->assumptions, sp_strdup(s->ctx, sentence));
}

/* ---- shared index variables ---- */

const sp_expr *spi_index_vars(sp_state *s, const sp_shape *shape) {
  sp_expr *idx = sp_alloc_n(s->ctx, shape->n_dims + 1u, sizeof *idx);
  for (uint32_t d = 0; d < shape->n_dims; d++) {
    int64_t extent = shape->dims[d];
    for (size_t i = 0; i < s->index_vars.n && !idx[d].v; i++) {
      const spi_index_var *x = &s->index_vars.v[i];
      if (x->d == d && x->extent == extent) {
        idx[d] = x->var;
      }
    }
    if (!idx[d].v) {
      char name[16];
      snprintf(name, sizeof name, "i%u", d);
      idx[d] = sp_var(s->pool, SP_VAR_INDEX, sp_strdup(s->ctx, name), extent);
      sp_push(s->ctx, &s->index_vars, ((spi_index_var){d, extent, idx[d]}));
    }
  }
  return idx;
}

/* ---- inputs ---- */

static const sp_sharding *param_sharding(const sp_state *s, uint32_t i) {
  const sp_program *p = s->seq_program, *d = s->dist_program;
  const sp_sharding *sh = p->tensors[p->params[i]].sharding;
  if (!sh && p->param_shardings) {
    sh = p->param_shardings[i];
  }
  if (!sh) {
    sh = d->tensors[d->params[i]].sharding;
  }
  if (!sh && d->param_shardings) {
    sh = d->param_shardings[i];
  }
  return sh;
}

static void relate_param(sp_state *s, uint32_t i) {
  const sp_program *p = s->seq_program, *d = s->dist_program;
  uint32_t v = p->params[i], w = d->params[i];
  dist_tensor *x = &s->dist[w];
  sp_expr phi[SP_MAX_DIMS], guard;
  const char *name = sp_format(s->ctx, "parameter %u (%s)", i,
                               d->tensors[w].name);
  if (!spi_sharding_map(s, param_sharding(s, i), &p->tensors[v].shape,
                        &d->tensors[w].shape,
                        d->nodes[d->tensors[w].node].pos.dump, name, x->idx,
                        phi, &guard)) {
    x->opaque = true;
    x->how = "its sharding (manual, partial sums or of an unknown kind) says "
             "nothing that is understood here";
    return;
  }
  sp_expr read = sp_read(s->pool, s->seq[v].sym, phi);
  sp_expr idx[SP_MAX_DIMS + 1];
  idx[0] = s->rank;
  for (uint32_t k = 0; k < d->tensors[w].shape.n_dims; k++) {
    idx[k + 1] = x->idx[k];
  }
  sp_expr junk = sp_read(s->pool, x->sym, idx);
  x->relation = sp_ite(s->pool, guard, read, junk);
  x->how = "input";
}

static bool assumption_names(const sp_program *p, uint32_t i,
                             const char *name) {
  const char *given = name[0] == '%' ? name + 1 : name;
  char *end;
  unsigned long number = strtoul(name, &end, 10);
  return strcmp(p->tensors[p->params[i]].name, given) == 0 ||
         (*name && !*end && number == i);
}

static void assume_ranges(sp_state *s) {
  const sp_program *p = s->seq_program;
  for (size_t k = 0; k < s->options->n_assume; k++) {
    const sp_assumed_range *a = &s->options->assume[k];
    bool found = false;
    for (uint32_t i = 0; i < p->n_params && !found; i++) {
      if (!assumption_names(p, i, a->name)) {
        continue;
      }
      const sp_tensor *t = &p->tensors[p->params[i]];
      if (a->lo >= a->hi) {
        sp_raise(s->ctx, SP_ERR_USAGE, sp_nowhere(),
                 "write --assume NAME=LO:HI with LO < HI; HI is not included",
                 "--assume %s=%lld:%lld is an empty range", a->name,
                 (long long)a->lo, (long long)a->hi);
      }
      found = true;
      if (!sp_dtype_is_int(t->shape.dtype)) {
        /* True or not, nothing is concluded from it. */
        spi_assumption(s, sp_format(s->ctx,
                                    "%lld <= %s < %lld (given; not used, the "
                                    "parameter is %s)",
                                    (long long)a->lo, t->name,
                                    (long long)a->hi,
                                    sp_shape_text(s->ctx, &t->shape)));
        break;
      }
      sp_sym_set_range(s->pool, s->seq[p->params[i]].sym, a->lo, a->hi - 1);
      spi_assumption(s, sp_format(s->ctx, "%lld <= %s < %lld (given)",
                                  (long long)a->lo, t->name,
                                  (long long)a->hi));
    }
    if (!found) {
      sp_raise(s->ctx, SP_ERR_USAGE, sp_nowhere(),
               "name a parameter of the sequential program, or give its "
               "number, counted from 0",
               "--assume %s: there is no such parameter", a->name);
    }
  }
}

/* Unsigned integers are never negative, whatever is assumed. */
static void natural_ranges(sp_state *s) {
  const sp_program *p = s->seq_program;
  for (uint32_t t = 0; t < p->n_tensors; t++) {
    sp_dtype type = p->tensors[t].shape.dtype;
    if (sp_dtype_is_unsigned(type)) {
      int bits = sp_dtype_bits(type);
      sp_sym_set_range(s->pool, s->seq[t].sym, 0,
                       bits < 63 ? ((int64_t)1 << bits) - 1 : INT64_MAX);
    }
  }
}

static void check_fit(sp_state *s) {
  const sp_program *p = s->seq_program, *d = s->dist_program;
  if (p->n_params != d->n_params) {
    sp_raise(s->ctx, SP_ERR_INPUT, in_file(d),
             "give the module before and the module after the partitioner of "
             "one compilation",
             "the sequential program has %u parameters, the distributed one "
             "%u",
             p->n_params, d->n_params);
  }
  if (p->n_results != d->n_results) {
    sp_raise(s->ctx, SP_ERR_INPUT, in_file(d),
             "give the module before and the module after the partitioner of "
             "one compilation",
             "the sequential program has %u results, the distributed one %u",
             p->n_results, d->n_results);
  }
}

/* ---- the report ---- */

static void list_tensors(sp_state *s, sp_report *report) {
  const sp_program *d = s->dist_program;
  sp_report_tensor *v = sp_alloc_n(s->ctx, d->n_tensors + 1u, sizeof *v);
  for (uint32_t t = 0; t < d->n_tensors; t++) {
    const sp_tensor *tensor = &d->tensors[t];
    const dist_tensor *w = &s->dist[t];
    v[t] = (sp_report_tensor){
        .name = tensor->name,
        .op = d->nodes[tensor->node].op,
        .shape = sp_shape_text(s->ctx, &tensor->shape),
        .relation = spi_relation_text(s, t),
        .sequential =
            w->seq ? s->seq_program->tensors[w->seq - 1].name : NULL,
        .why = w->how,
        .nearest = w->nearest,
        .pos = d->nodes[tensor->node].pos,
    };
  }
  report->n_tensors = d->n_tensors;
  report->tensors = v;
}

static void say(sp_state *s, sp_report *report) {
  size_t open = 0;
  const char *first = "";
  for (size_t i = 0; i < report->n_outputs; i++) {
    if (!report->outputs[i].proved && open++ == 0) {
      first = report->outputs[i].name;
    }
  }
  const sp_program *d = s->dist_program;
  report->sentence =
      open == 0
          ? sp_format(s->ctx,
                      "the program on %lld partitions computes what the "
                      "sequential one does (%zu result%s)",
                      (long long)d->partitions, report->n_outputs,
                      report->n_outputs == 1 ? "" : "s")
          : sp_format(s->ctx,
                      "%zu of %zu results could not be related to the "
                      "sequential program, the first is %s",
                      open, report->n_outputs, first);
}

const sp_report *sp_check(sp_ctx *ctx, const sp_program *sequential,
                          const sp_program *distributed,
                          const sp_check_options *options) {
  double start = now();
  sp_state *s = sp_alloc(ctx, sizeof *s);
  s->ctx = ctx;
  s->pool = sp_pool_new(ctx);
  s->options = options;
  s->seq_program = sequential;
  s->dist_program = distributed;
  sp_solver_options solver = {
      .timeout_ms = options->timeout_ms ? options->timeout_ms : 5000,
      .smt2_dir = options->smt2_dir};
  s->solver = sp_solver_new(s->pool, &solver);
  s->prover = sp_prover_new(s->pool, s->solver);
  s->rank = sp_var(s->pool, SP_VAR_RANK, "rank", distributed->partitions);
  check_fit(s);
  spi_seq_start(s);
  spi_dist_start(s);
  natural_ranges(s);
  assume_ranges(s);
  spi_seq_classify(s);
  for (uint32_t i = 0; i < distributed->n_params; i++) {
    relate_param(s, i);
  }
  spi_propagate(s);
  sp_report *report = sp_alloc(ctx, sizeof *report);
  spi_outputs(s, report);
  list_tensors(s, report);
  say(s, report);
  const sp_solver_stats *z = sp_solver_statistics(s->solver);
  s->stats.seconds = now() - start;
  s->stats.solver_seconds = z->seconds;
  s->stats.obligations = z->asked;
  s->stats.distinct = z->distinct;
  s->stats.cached = z->cache_hits;
  s->stats.sequential_tensors = sequential->n_tensors;
  s->stats.distributed_tensors = distributed->n_tensors;
  report->stats = s->stats;
  report->n_assumptions = s->assumptions.n;
  report->assumptions = s->assumptions.v;
  return report;
}
