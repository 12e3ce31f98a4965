/* relate.c: what is given and promised: the entries of a spec's inputs, cuts
 * and outputs, by name, with the layout that each placement means. Read
 * spi_relate_all, last. */
#include "shard-specs/problem_i.h"

#include "shard-specs/cover.h"

#include <string.h>

bool spi_is_param(const sp_program *p, uint32_t tensor) {
  for (uint32_t i = 0; i < p->n_params; i++) {
    if (p->params[i] == tensor) {
      return true;
    }
  }
  return false;
}

static const char *side_of(const spi_relating *x, const spi_source *s) {
  return s == &x->seq_source ? "sequential" : "distributed";
}

noreturn void spi_unknown_name(const spi_relating *x, sp_loc loc,
                               const spi_source *s, const char *name,
                               const char *what) {
  const char *near = sp_names_nearest(&s->names, name);
  uint32_t t = sp_names_find(&s->names, name);
  const char *hint = near ? sp_format(x->ctx, "is %s meant?", near) : NULL;
  if (t != SP_NO_TENSOR) {
    hint = "values inside a program are given under `cuts`";
  }
  if (sp_names_number(name, "out.") >= 0) {
    hint = sp_format(x->ctx,
                     "it returns %u values, counted from 0; some may "
                     "be None",
                     s->program->n_results);
  }
  sp_raise(x->ctx, SP_ERR_INPUT, loc, hint, "%s is no %s of the %s program",
           name, what, side_of(x, s));
}

static bool has_named(const spi_source *s, const char *name, bool input) {
  uint32_t t = sp_names_find(&s->names, name);
  return t != SP_NO_TENSOR && (!input || spi_is_param(s->program, t));
}

static uint32_t find_named(const spi_relating *x, const spi_source *s,
                           const char *name, sp_loc loc, bool input) {
  if (!has_named(s, name, input)) {
    spi_unknown_name(x, loc, s, name, input ? "input" : "value");
  }
  uint32_t t = sp_names_find(&s->names, name);
  if (s->program->tensors[t].shape.dtype == SP_DTYPE_INVALID) {
    sp_raise(x->ctx, SP_ERR_INPUT, loc, NULL,
             "the %s program does not say the shape of %s", side_of(x, s),
             name);
  }
  return t;
}

/* ---- what is given and promised ---- */

static noreturn void partial_alone(const spi_relating *x,
                                   const sp_placement *q) {
  sp_raise(x->ctx, SP_ERR_UNKNOWN, q->loc,
           "name the value after it is reduced, or make the ranks run the same "
           "operators",
           "%s: addends are not understood where the programs of the ranks "
           "differ",
           q->text);
}

/* local: the source's tensor. */
static void place(spi_relating *x, spi_entry kind, const spi_source *s,
                  const sp_spec_cut *cut, uint32_t seq, uint32_t local,
                  const char *name) {
  uint32_t dist = s->to ? s->to[local] : local;
  if (kind != SPI_OUTPUT) {
    if (x->dist.given[dist]) {
      sp_raise(x->ctx, SP_ERR_INPUT, cut->place->as_loc,
               "as: NAME says which tensor of the distributed program it is",
               "%s of the distributed program is given twice",
               cut->local->name);
    }
    x->seq.given[seq] = x->dist.given[dist] = true;
  }
  for (uint32_t a = 0; s->rank >= 0 && a < x->spec->n_axes; a++) {
    const sp_placement *q = cut->place->axes[a];
    if (q && q->kind == SP_PLACE_PARTIAL) {
      partial_alone(x, q);
    }
  }
  sp_placed p = {.seq = seq,
                 .dist = dist,
                 .layout = sp_spec_layout(x->ctx, x->spec, cut),
                 .name = s->rank < 0 ? name
                                     : sp_format(x->ctx, "%s on rank %lld",
                                                 name, (long long)s->rank),
                 .rank = s->rank,
                 .assumed = kind == SPI_INNER};
  if (kind == SPI_OUTPUT) {
    sp_push(x->ctx, &x->promised, p);
  } else {
    sp_push(x->ctx, &x->given, p);
  }
}

/* One sequential tensor in parts: each begins where the one before ends. */
static void relate_parts(spi_relating *x, spi_entry kind, const spi_source *s,
                         const sp_spec_place *p, uint32_t seq,
                         const char *name) {
  int64_t offset = 0;
  const sp_tensor *global = &x->seq.program->tensors[seq];
  for (uint32_t i = 0; i < p->n_concat; i++) {
    const char *other = sp_pattern_fill(x->ctx, p->name, name, p->concat[i]);
    uint32_t at = find_named(x, s, other, p->loc, kind == SPI_INPUT);
    const sp_tensor *local = &s->program->tensors[at];
    int64_t size = sp_spec_part_size(x->ctx, x->spec, p, local);
    sp_spec_cut cut = {p, global, local, size, offset, s->rank};
    place(x, kind, s, &cut, seq, at, sp_format(x->ctx, "%s (%s)", name, other));
    offset += size;
  }
  if (p->dim >= (int64_t)global->shape.n_dims ||
      offset != global->shape.dims[p->dim]) {
    sp_raise(x->ctx, SP_ERR_INPUT, p->loc, NULL,
             "%s is %s, but its parts have %lld of dimension %lld together",
             name, sp_shape_text(x->ctx, &global->shape), (long long)offset,
             (long long)p->dim);
  }
}

static void relate_one(spi_relating *x, spi_entry kind, const spi_source *s,
                       const sp_spec_place *p, uint32_t seq, const char *name,
                       const char *other) {
  uint32_t at = find_named(x, s, other, p->as_loc, kind == SPI_INPUT);
  sp_spec_cut cut = {
      p,      &x->seq.program->tensors[seq], &s->program->tensors[at], -1, 0,
      s->rank};
  place(x, kind, s, &cut, seq, at, name);
}

/* A result that the ranks hold in part would be compared in part. */
static void refuse_uncovered(const spi_relating *x, const sp_spec_place *p,
                             size_t from, uint32_t seq, const char *name) {
  const char *at =
      sp_spec_uncovered(x->ctx, &x->seq.program->tensors[seq].shape,
                        x->promised.n - from, x->promised.v + from);
  if (at) {
    sp_raise(x->ctx, SP_ERR_INPUT, p->loc,
             "say what each rank holds so that together they hold all of it",
             "%s: no rank holds element %s of the sequential result", name, at);
  }
}

/* The tensor of all ranks, or of each rank that has it (one must). */
static void relate_ranks(spi_relating *x, spi_entry kind,
                         const sp_spec_place *p, uint32_t seq,
                         const char *name) {
  const char *other = p->concat ? p->concat[0] : p->as ? p->as : name;
  if (p->concat || p->as) {
    other = sp_pattern_fill(x->ctx, p->name, name, other);
  }
  bool input = kind == SPI_INPUT, any = false;
  for (size_t i = 0; i < x->n_sources; i++) {
    const spi_source *s = &x->sources[i];
    bool last = i + 1 == x->n_sources;
    if (!has_named(s, other, input) && (any || !last)) {
      if (kind == SPI_OUTPUT) {
        sp_push(x->ctx, &x->notes,
                sp_format(x->ctx,
                          "rank %lld has no %s: nothing is promised "
                          "of it there",
                          (long long)s->rank, other));
      }
      continue;
    }
    any = true;
    if (p->concat) {
      relate_parts(x, kind, s, p, seq, name);
    } else {
      relate_one(x, kind, s, p, seq, name, other);
    }
  }
}

static void relate(spi_relating *x, spi_entry kind, const sp_spec_place *p,
                   const char *name) {
  bool input = kind == SPI_INPUT;
  uint32_t seq = find_named(x, &x->seq_source, name, p->loc, input);
  if (kind != SPI_OUTPUT && x->seq.given[seq]) {
    sp_raise(x->ctx, SP_ERR_INPUT, p->loc, NULL,
             "%s of the sequential program is given twice", name);
  }
  size_t from = x->promised.n;
  relate_ranks(x, kind, p, seq, name);
  if (kind == SPI_OUTPUT) {
    refuse_uncovered(x, p, from, seq, name);
  }
}

/* The names that a pattern can stand for. */
static size_t pattern_count(const spi_relating *x, spi_entry kind) {
  const sp_program *p = x->seq.program;
  return kind == SPI_INPUT    ? p->n_params
         : kind == SPI_OUTPUT ? p->n_results
                              : p->n_tensors;
}

static const char *pattern_name(const spi_relating *x, spi_entry kind,
                                size_t i) {
  const sp_program *p = x->seq.program;
  if (kind == SPI_OUTPUT) {
    return p->results[i] == SP_NO_TENSOR ? NULL
                                         : sp_format(x->ctx, "out.%zu", i);
  }
  return p->tensors[kind == SPI_INPUT ? p->params[i] : i].name;
}

/* Is there an entry of exactly that name, or an earlier pattern? */
static bool said_before(const sp_spec_places *list, size_t at,
                        const char *name) {
  for (size_t i = 0; i < list->n; i++) {
    const char *other = list->v[i].name;
    if (sp_pattern_is(other) ? i < at && sp_pattern_matches(other, name)
                             : strcmp(other, name) == 0) {
      return true;
    }
  }
  return false;
}

static void relate_pattern(spi_relating *x, spi_entry kind,
                           const sp_spec_places *list, size_t at) {
  const sp_spec_place *p = &list->v[at];
  bool any = false;
  size_t n = pattern_count(x, kind);
  for (size_t i = 0; i < n; i++) {
    const char *name = pattern_name(x, kind, i);
    if (!name || !sp_pattern_matches(p->name, name)) {
      continue;
    }
    any = true;
    if (!said_before(list, at, name)) {
      relate(x, kind, p, name);
    }
  }
  if (!any) {
    sp_raise(x->ctx, SP_ERR_INPUT, p->loc, NULL,
             "%s stands for no %s of the sequential program", p->name,
             kind == SPI_INPUT ? "input" : "value");
  }
}

void spi_relate_all(spi_relating *x, spi_entry kind,
                    const sp_spec_places *list) {
  for (size_t i = 0; i < list->n; i++) {
    if (sp_pattern_is(list->v[i].name)) {
      relate_pattern(x, kind, list, i);
    } else {
      relate(x, kind, &list->v[i], list->v[i].name);
    }
  }
}
