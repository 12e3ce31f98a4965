/* problem.c: XLA pairs: what the modules themselves say. */
#include "solve/problem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "encode/op_util.h"

static const sp_sharding *first_of(const sp_sharding *a, const sp_sharding *b,
                                   const sp_sharding *c, const sp_sharding *d) {
  return a ? a : b ? b : c ? c : d;
}

static const sp_sharding *listed(const sp_sharding *const *list, uint32_t i) {
  return list ? list[i] : NULL;
}

static sp_placed place(sp_ctx *ctx, const sp_program *p, const sp_program *d,
                       uint32_t v, uint32_t w, const sp_sharding *sharding,
                       const char *name) {
  sp_placed x = {.seq = v, .dist = w, .name = name};
  x.layout = sp_layout_of_sharding(
      ctx, sharding, &p->tensors[v].shape, &d->tensors[w].shape, d->partitions,
      d->nodes[d->tensors[w].node].pos.dump, name, &x.why);
  return x;
}

static void check_counts(sp_ctx *ctx, const sp_program *d, const char *what,
                         uint32_t seq, uint32_t dist) {
  if (seq != dist) {
    sp_raise(ctx, SP_ERR_INPUT, (sp_loc){.file = d->file},
             "give the module before and the module after the partitioner of "
             "one compilation",
             "the sequential program has %u %s, the distributed one %u", seq,
             what, dist);
  }
}

/* Every rank has all of the sequential inputs. */
static const sp_origin *whole(sp_ctx *ctx, const sp_program *p, uint32_t v) {
  sp_origin *o = sp_alloc(ctx, sizeof *o);
  const char *why;
  o->global = p->tensors[v].shape;
  o->layout =
      sp_layout_of_sharding(ctx, NULL, &o->global, &o->global, p->partitions,
                            (sp_loc){0}, p->tensors[v].name, &why);
  return o;
}

sp_problem sp_problem_of_pair(sp_ctx *ctx, const sp_program *p,
                              const sp_program *d) {
  check_counts(ctx, d, "parameters", p->n_params, d->n_params);
  check_counts(ctx, d, "results", p->n_results, d->n_results);
  sp_placed *given = sp_alloc_n(ctx, d->n_params + 1u, sizeof *given);
  sp_placed *promised = sp_alloc_n(ctx, d->n_results + 1u, sizeof *promised);
  bool manual = p->partitions == d->partitions && sp_program_is_manual(p);
  for (uint32_t i = 0; i < d->n_params; i++) {
    uint32_t v = p->params[i], w = d->params[i];
    const sp_sharding *sharding =
        first_of(p->tensors[v].sharding, listed(p->param_shardings, i),
                 d->tensors[w].sharding, listed(d->param_shardings, i));
    given[i] =
        place(ctx, p, d, v, w, sharding,
              sp_format(ctx, "parameter %u (%s)", i, d->tensors[w].name));
    given[i].origin = manual ? whole(ctx, p, v) : NULL;
  }
  for (uint32_t k = 0; k < d->n_results; k++) {
    uint32_t v = p->results[k], w = d->results[k];
    const sp_sharding *sharding =
        first_of(listed(p->result_shardings, k), p->tensors[v].sharding,
                 listed(d->result_shardings, k), d->tensors[w].sharding);
    promised[k] =
        place(ctx, p, d, v, w, sharding, sp_format(ctx, "result %u", k));
  }
  return (sp_problem){.seq = p,
                      .dist = d,
                      .ranked = manual,
                      .manual = manual,
                      .n_given = d->n_params,
                      .given = given,
                      .n_promised = d->n_results,
                      .promised = promised};
}

static bool assumption_names(const sp_program *p, uint32_t i,
                             const char *name) {
  const char *given = name[0] == '%' ? name + 1 : name;
  char *end;
  unsigned long number = strtoul(name, &end, 10);
  return strcmp(p->tensors[p->params[i]].name, given) == 0 ||
         (*name && !*end && number == i);
}

static uint32_t named_param(sp_ctx *ctx, const sp_program *p,
                            const char *name) {
  for (uint32_t i = 0; i < p->n_params; i++) {
    if (assumption_names(p, i, name)) {
      return p->params[i];
    }
  }
  sp_raise(ctx, SP_ERR_USAGE, sp_nowhere(),
           "name a parameter of the sequential program, or give its number, "
           "counted from 0",
           "--assume %s: there is no such parameter", name);
}

static int by_start(const void *a, const void *b) {
  const sp_stretch *x = a, *y = b;
  return (x->lo > y->lo) - (x->lo < y->lo);
}

/* In order, with gaps between them. */
static uint32_t merged_parts(sp_stretch *v, uint32_t n) {
  uint32_t kept = 0;
  qsort(v, n, sizeof *v, by_start);
  for (uint32_t i = 1; i < n; i++) {
    if (v[i].lo <= v[kept].hi + 1) {
      v[kept].hi = v[i].hi > v[kept].hi ? v[i].hi : v[kept].hi;
    } else {
      v[++kept] = v[i];
    }
  }
  return kept + 1;
}

static const char *part_text(sp_ctx *ctx, const char *name, sp_stretch part) {
  return part.lo == part.hi
             ? sp_format(ctx, "%s = %lld", name, (long long)part.lo)
             : sp_format(ctx, "%lld <= %s < %lld", (long long)part.lo, name,
                         (long long)part.hi + 1);
}

/* "x = 3 or 5 <= x < 9" of n merged parts; one number is a range, too. */
static const char *parts_text(sp_ctx *ctx, const char *name, uint32_t n,
                              const sp_stretch *v) {
  const char *text = part_text(ctx, name, v[0]);
  if (n == 1) {
    return sp_format(ctx, "%lld <= %s < %lld", (long long)v[0].lo, name,
                     (long long)v[0].hi + 1);
  }
  for (uint32_t i = 1; i < n; i++) {
    text = sp_format(ctx, "%s or %s", text, part_text(ctx, name, v[i]));
  }
  return text;
}

sp_range_given sp_range_of_parts(sp_ctx *ctx, uint32_t seq, const char *name,
                                 uint32_t n, const sp_stretch *parts) {
  assert(n > 0);
  sp_stretch *v = sp_alloc_n(ctx, n, sizeof *v);
  sp_stretch *gaps = sp_alloc_n(ctx, n, sizeof *gaps);
  memcpy(v, parts, n * sizeof *v);
  n = merged_parts(v, n);
  for (uint32_t i = 1; i < n; i++) {
    gaps[i - 1] = (sp_stretch){v[i - 1].hi + 1, v[i].lo - 1};
  }
  const char *text = parts_text(ctx, name, n, v);
  return (sp_range_given){.seq = seq,
                          .lo = v[0].lo,
                          .hi = v[n - 1].hi + 1,
                          .text = sp_format(ctx, "%s (given)", text),
                          .n_gaps = n - 1,
                          .gaps = gaps};
}

/* The type's ends as a user writes a range: the upper one is not in it. */
static const char *type_text(sp_ctx *ctx, int64_t lo, int64_t hi) {
  return hi < INT64_MAX
             ? sp_format(ctx, "from %lld to %lld", (long long)lo, (long long)hi)
             : sp_format(ctx, "from %lld on", (long long)lo);
}

const char *sp_range_misfit(sp_ctx *ctx, const char *name, sp_dtype type,
                            sp_stretch part, const char **hint) {
  int64_t lo, hi;
  spi_dtype_range(type, &lo, &hi);
  if (part.lo >= lo && part.hi <= hi) {
    return NULL;
  }
  int64_t from = part.lo > lo ? part.lo : lo, to = part.hi < hi ? part.hi : hi;
  const char *values = type_text(ctx, lo, hi);
  *hint = from > to ? sp_format(ctx, "assume values %s", values)
          : from == to
              ? sp_format(ctx, "of these the type has %lld", (long long)from)
              : sp_format(ctx, "of these the type has %lld to %lld",
                          (long long)from, (long long)to);
  return sp_format(ctx, "%s is %s, whose values are %s: it cannot be %lld",
                   name, sp_dtype_name(type), values,
                   (long long)(part.lo < lo ? part.lo : part.hi));
}

/* Two ranges of one parameter: the proof would hold in both, runs would draw
 * from one. */
static void refuse_twice(sp_ctx *ctx, const sp_problem *problem,
                         const sp_range_given *ranges, size_t n, uint32_t seq) {
  for (size_t i = 0; i < n; i++) {
    if (ranges[i].seq == seq) {
      sp_raise(ctx, SP_ERR_USAGE, sp_nowhere(),
               "give one range, the part that both have in common",
               "two ranges are given for %s, the first is %s",
               problem->seq->tensors[seq].name, ranges[i].text);
    }
  }
}

/* As --assume has it. */
static const char *option_text(sp_ctx *ctx, sp_stretch part) {
  return part.lo == part.hi ? sp_format(ctx, "%lld", (long long)part.lo)
                            : sp_format(ctx, "%lld:%lld", (long long)part.lo,
                                        (long long)part.hi + 1);
}

void sp_assumed_range_fits(sp_ctx *ctx, const sp_assumed_range *a,
                           const sp_tensor *t) {
  sp_dtype type = t->shape.dtype;
  for (uint32_t i = 0; i < a->n; i++) {
    const char *hint, *why = NULL;
    if (sp_dtype_is_int(type) || type == SP_PRED) {
      why = sp_range_misfit(ctx, t->name, type, a->parts[i], &hint);
    }
    if (why) {
      sp_raise(
          ctx, SP_ERR_USAGE, sp_nowhere(),
          sp_format(ctx, "%s; HI of NAME=LO:HI is one above the largest", hint),
          "--assume %s=%s: %s", a->name, option_text(ctx, a->parts[i]), why);
    }
  }
}

void sp_problem_assume(sp_ctx *ctx, sp_problem *problem,
                       const sp_assumed_range *assume, size_t n) {
  SP_VEC(sp_range_given) ranges = {0};
  SP_VEC(const char *) notes = {0};
  for (size_t k = 0; k < n; k++) {
    const sp_assumed_range *a = &assume[k];
    uint32_t seq = named_param(ctx, problem->seq, a->name);
    const sp_tensor *t = &problem->seq->tensors[seq];
    sp_assumed_range_fits(ctx, a, t);
    if (sp_dtype_is_int(t->shape.dtype)) {
      refuse_twice(ctx, problem, ranges.v, ranges.n, seq);
      refuse_twice(ctx, problem, problem->ranges, problem->n_ranges, seq);
      sp_push(ctx, &ranges,
              sp_range_of_parts(ctx, seq, t->name, a->n, a->parts));
    } else { /* of other types nothing is concluded, true or not */
      sp_range_given r = sp_range_of_parts(ctx, seq, t->name, a->n, a->parts);
      sp_push(ctx, &notes,
              sp_format(ctx, "%s; not used, the parameter is %s", r.text,
                        sp_shape_text(ctx, &t->shape)));
    }
  }
  problem->ranges = ranges.v;
  problem->n_ranges = ranges.n;
  problem->notes = notes.v;
  problem->n_notes = notes.n;
}
