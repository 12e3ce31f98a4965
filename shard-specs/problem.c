/* problem.c: from a spec to a problem. Read sp_spec_problem, at the end: load
 * (ranks.c), relate (relate.c), cut, give meanings. */
#include "shard-specs/problem_i.h"

#include "shard-specs/addends.h"
#include "shard-specs/cut.h"

#include <string.h>

static void start_side(sp_ctx *ctx, spi_side *s) {
  s->given = sp_alloc_n(ctx, s->program->n_tensors + 1u, sizeof *s->given);
}

/* ---- ranges ---- */

static void add_range(spi_relating *x, const sp_spec_range *r, uint32_t seq) {
  const sp_tensor *t = &x->seq.program->tensors[seq];
  if (!sp_dtype_is_int(t->shape.dtype)) {
    sp_raise(x->ctx, SP_ERR_INPUT, r->loc,
             "leave it out: a proof holds for all its values",
             "%s is %s: ranges are for integers", t->name,
             sp_shape_text(x->ctx, &t->shape));
  }
  for (uint32_t i = 0; i < r->n; i++) {
    const char *hint, *why = sp_range_misfit(x->ctx, t->name, t->shape.dtype,
                                             r->parts[i], &hint);
    if (why) {
      sp_raise(x->ctx, SP_ERR_INPUT, r->locs[i],
               sp_format(x->ctx,
                         "%s; the upper end of [low, high] is not in it", hint),
               "%s", why);
    }
  }
  sp_push(x->ctx, &x->ranges,
          sp_range_of_parts(x->ctx, seq, t->name, r->n, r->parts));
}

static void read_ranges(spi_relating *x) {
  const sp_program *p = x->seq.program;
  for (size_t i = 0; i < x->spec->n_ranges; i++) {
    const sp_spec_range *r = &x->spec->ranges[i];
    bool any = false;
    for (uint32_t t = 0; sp_pattern_is(r->name) && t < p->n_tensors; t++) {
      if ((x->seq.given[t] || spi_is_param(p, t)) &&
          sp_dtype_is_int(p->tensors[t].shape.dtype) &&
          sp_pattern_matches(r->name, p->tensors[t].name)) {
        add_range(x, r, t);
        any = true;
      }
    }
    uint32_t t = sp_names_find(&x->seq_source.names, r->name);
    if (!sp_pattern_is(r->name) && t != SP_NO_TENSOR &&
        (x->seq.given[t] || spi_is_param(p, t))) {
      add_range(x, r, t);
      any = true;
    }
    if (!any) {
      spi_unknown_name(x, r->loc, &x->seq_source, r->name, "integer input");
    }
  }
}

/* ---- cutting ---- */

typedef SP_VEC(uint32_t) tensor_list;

static void cut_side(spi_relating *x, spi_side *s, const tensor_list *wanted) {
  sp_cut_out out =
      sp_program_cut(x->ctx, s->program, wanted->n, wanted->v, s->given);
  s->cut = out.program;
  s->to = out.to;
}

/* What is promised, then what the other side needs of what is given. */
static void cut_both(spi_relating *x) {
  tensor_list seq = {0}, dist = {0};
  for (size_t i = 0; i < x->promised.n; i++) {
    sp_push(x->ctx, &seq, x->promised.v[i].seq);
    sp_push(x->ctx, &dist, x->promised.v[i].dist);
  }
  cut_side(x, &x->seq, &seq);
  cut_side(x, &x->dist, &dist);
  tensor_list more_seq = {0}, more_dist = {0};
  for (size_t i = 0; i < x->given.n; i++) {
    const sp_placed *p = &x->given.v[i];
    if (x->seq.to[p->seq] != SP_NO_TENSOR ||
        x->dist.to[p->dist] != SP_NO_TENSOR) {
      sp_push(x->ctx, &more_seq, p->seq);
      sp_push(x->ctx, &more_dist, p->dist);
    }
  }
  for (size_t i = 0; i < more_seq.n; i++) {
    sp_push(x->ctx, &seq, more_seq.v[i]);
    sp_push(x->ctx, &dist, more_dist.v[i]);
  }
  cut_side(x, &x->seq, &seq);
  cut_side(x, &x->dist, &dist);
}

static void refuse_missing(const spi_relating *x, const spi_side *s) {
  for (uint32_t i = 0; i < s->program->n_tensors; i++) {
    bool param = s->to[i] != SP_NO_TENSOR && spi_is_param(s->cut, s->to[i]);
    if (param && !s->given[i]) {
      const sp_tensor *t = &s->program->tensors[i];
      bool seq = s == &x->seq;
      sp_raise(x->ctx, SP_ERR_INPUT, x->spec->inputs.loc,
               sp_format(x->ctx,
                         seq ? "inputs: {%s: Replicate}, or how it is "
                               "cut"
                             : "inputs: {NAME: {as: %s}}",
                         t->name),
               "the outputs depend on the input %s, %s, of the %s program, and "
               "nothing says what %s",
               t->name, sp_shape_text(x->ctx, &t->shape),
               seq ? "sequential" : "distributed",
               seq ? "the ranks hold of it" : "it holds");
    }
  }
}

static const sp_program *with_results(sp_ctx *ctx, const sp_program *p,
                                      size_t n) {
  sp_program *out = sp_alloc(ctx, sizeof *out);
  *out = *p;
  out->n_results = (uint32_t)n;
  return out;
}

static const sp_placed *renumber(const spi_relating *x,
                                 const spi_placed_list *list, size_t *n) {
  sp_placed *out = sp_alloc_n(x->ctx, list->n + 1, sizeof *out);
  *n = 0;
  for (size_t i = 0; i < list->n; i++) {
    sp_placed p = list->v[i];
    p.seq = x->seq.to[p.seq];
    p.dist = x->dist.to[p.dist];
    if (p.seq != SP_NO_TENSOR && p.dist != SP_NO_TENSOR) {
      out[(*n)++] = p;
    }
  }
  return out;
}

static void renumber_ranges(spi_relating *x) {
  size_t n = 0;
  for (size_t i = 0; i < x->ranges.n; i++) {
    sp_range_given r = x->ranges.v[i];
    r.seq = x->seq.to[r.seq];
    if (r.seq != SP_NO_TENSOR) {
      x->ranges.v[n++] = r;
    }
  }
  x->ranges.n = n;
}

sp_problem sp_spec_problem(sp_ctx *ctx, const sp_spec *spec) {
  spi_relating x = {.ctx = ctx, .spec = spec};
  spi_load_sequential(&x);
  spi_load_distributed(&x);
  start_side(ctx, &x.seq);
  start_side(ctx, &x.dist);
  spi_relate_all(&x, SPI_INPUT, &spec->inputs);
  spi_relate_all(&x, SPI_INNER, &spec->cuts);
  spi_relate_all(&x, SPI_INNER, &spec->uninitialised);
  spi_relate_all(&x, SPI_OUTPUT, &spec->outputs);
  read_ranges(&x);
  cut_both(&x);
  refuse_missing(&x, &x.dist);
  refuse_missing(&x, &x.seq);
  renumber_ranges(&x);
  sp_problem out = {.ranges = x.ranges.v,
                    .n_ranges = x.ranges.n,
                    .merged = x.n_sources > 1 ? spec->ranks : 0};
  out.seq = sp_spec_operators(
      ctx, spec, with_results(ctx, x.seq.cut, x.promised.n), &x.notes);
  out.dist = sp_spec_operators(
      ctx, spec, with_results(ctx, x.dist.cut, x.promised.n), &x.notes);
  out.given = renumber(&x, &x.given, &out.n_given);
  out.promised = renumber(&x, &x.promised, &out.n_promised);
  out.notes = x.notes.v;
  out.n_notes = x.notes.n;
  sp_spec_addends(ctx, &out, spec->inputs.loc);
  return out;
}

void sp_spec_assume(sp_ctx *ctx, sp_problem *problem,
                    const sp_assumed_range *assume, size_t n) {
  sp_problem more = *problem;
  SP_VEC(sp_range_given) ranges = {0};
  SP_VEC(const char *) notes = {0};
  sp_problem_assume(ctx, &more, assume, n);
  for (size_t i = 0; i < problem->n_ranges; i++) {
    sp_push(ctx, &ranges, problem->ranges[i]);
  }
  for (size_t i = 0; i < more.n_ranges; i++) {
    sp_push(ctx, &ranges, more.ranges[i]);
  }
  for (size_t i = 0; i < problem->n_notes; i++) {
    sp_push(ctx, &notes, problem->notes[i]);
  }
  for (size_t i = 0; i < more.n_notes; i++) {
    sp_push(ctx, &notes, more.notes[i]);
  }
  problem->ranges = ranges.v;
  problem->n_ranges = ranges.n;
  problem->notes = notes.v;
  problem->n_notes = notes.n;
}
