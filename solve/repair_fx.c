/* repair_fx.c: operators of PyTorch graphs that work within a rank. Their
 * arguments are attributes by position, "arg1", and may differ from rank to
 * rank. Read spi_try_fx, then number_of. */
#include "solve/mender.h"

#include <string.h>

#include "solve/fit.h"

enum { MAX_STRIDES = 64, SHOWN = 8, MAX_KIN = 16 };

/* ---- names ---- */

static bool is_fx(const sp_node *node) {
  return strncmp(node->op, "hlo:", 4) != 0 && strncmp(node->op, "fx:", 3) != 0;
}

/* "aten.lt.Scalar" has the stem "lt"; *end: where ".Scalar" begins. */
static bool has_stem(const sp_node *node, const char *stem, const char **end) {
  const char *from = strchr(node->op, '.');
  size_t n = strlen(stem);
  if (!from || strncmp(from + 1, stem, n) != 0 ||
      (from[1 + n] != '.' && from[1 + n] != '\0')) {
    return false;
  }
  *end = from + 1 + n;
  return true;
}

bool spi_is_fx(const sp_node *node, const char *stem) {
  const char *end;
  return is_fx(node) && has_stem(node, stem, &end);
}

static sp_node *with_stem(spi_mender *m, const sp_node *node, const char *stem,
                          const char *end) {
  sp_node *copy = sp_alloc(m->s->ctx, sizeof *copy);
  const char *from = strchr(node->op, '.');
  *copy = *node;
  copy->op = sp_format(m->s->ctx, "%.*s.%s%s", (int)(from - node->op), node->op,
                       stem, end);
  return copy;
}

/* ---- other operators of the same form ---- */

static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
enum { N_COMPARISONS = sizeof comparisons / sizeof *comparisons };

static bool try_comparison(spi_mender *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  const char *end;
  for (size_t i = 0; i < N_COMPARISONS; i++) {
    if (!has_stem(node, comparisons[i], &end)) {
      continue;
    }
    for (size_t k = 0; k < N_COMPARISONS; k++) {
      spi_edit e = {.node = at,
                    .becomes = with_stem(m, node, comparisons[k], end)};
      if (k != i &&
          spi_offer(m, &e,
                    "compares by %s (a mask that is off by one, or inverted); "
                    "with %s all results are right",
                    comparisons[i], comparisons[k])) {
        return true;
      }
    }
  }
  return false;
}

static bool try_operator(spi_mender *m, uint32_t at) {
  static const char *const like[][2] = {{"add", "sub"},
                                        {"sub", "add"},
                                        {"mul", "div"},
                                        {"div", "mul"},
                                        {"maximum", "minimum"},
                                        {"minimum", "maximum"},
                                        {"amax", "amin"},
                                        {"amin", "amax"},
                                        {"sum", "mean"},
                                        {"mean", "sum"},
                                        {"bitwise_and", "bitwise_or"},
                                        {"bitwise_or", "bitwise_and"},
                                        {"logical_and", "logical_or"},
                                        {"logical_or", "logical_and"}};
  const sp_node *node = &m->program->nodes[at];
  const char *end;
  for (size_t i = 0; i < sizeof like / sizeof *like; i++) {
    if (!has_stem(node, like[i][0], &end)) {
      continue;
    }
    spi_edit e = {.node = at, .becomes = with_stem(m, node, like[i][1], end)};
    if (spi_offer(m, &e, "is the wrong operator; with %s all results are right",
                  like[i][1])) {
      return true;
    }
  }
  return false;
}

static bool try_order(spi_mender *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  if (!spi_is_fx(node, "sub") && !spi_is_fx(node, "div") &&
      !spi_is_fx(node, "cat") && !spi_is_fx(node, "stack") &&
      !spi_is_fx(node, "where")) {
    return false;
  }
  for (uint32_t b = spi_is_fx(node, "where") ? 2 : 1; b < node->n_in && b < 8;
       b++) {
    for (uint32_t a = spi_is_fx(node, "where") ? 1 : 0; a < b; a++) {
      if (spi_try_operands(m, at, a, b)) {
        return true;
      }
    }
  }
  return false;
}

/* ---- axes ---- */

static const char *ints_text(sp_ctx *ctx, const int64_t *v, size_t n) {
  sp_str s = {0};
  for (size_t i = 0; i < n; i++) {
    sp_str_addf(ctx, &s, "%s%lld", i ? ", " : "", (long long)v[i]);
  }
  return s.v ? s.v : "";
}

/* Two entries of a list swapped: dimensions of permute, sizes of split. */
static bool try_swapped(spi_mender *m, uint32_t at, const sp_attr *own) {
  const sp_node *node = &m->program->nodes[at];
  for (size_t b = 1; b < own->n && b < 8; b++) {
    for (size_t a = 0; a < b; a++) {
      int64_t *v = sp_alloc_n(m->s->ctx, own->n, sizeof *v);
      memcpy(v, own->u.ints, own->n * sizeof *v);
      v[a] = own->u.ints[b];
      v[b] = own->u.ints[a];
      sp_attr value = {.kind = SP_ATTR_INTS, .u.ints = v, .n = own->n};
      spi_edit e = {.node = at,
                    .becomes =
                        spi_edit_attr(m->s->ctx, node, own->name, value)};
      if (v[a] != v[b] &&
          spi_offer(m, &e,
                    "has the wrong dimensions, [%s]; with [%s] all results are "
                    "right",
                    ints_text(m->s->ctx, own->u.ints, own->n),
                    ints_text(m->s->ctx, v, own->n))) {
        return true;
      }
    }
  }
  return false;
}

static bool try_axes(spi_mender *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  bool lists = spi_is_fx(node, "permute") || spi_is_fx(node, "view") ||
               spi_is_fx(node, "reshape") ||
               spi_is_fx(node, "split_with_sizes");
  for (uint32_t i = 0; lists && i < node->n_attrs; i++) {
    if (node->attrs[i].kind == SP_ATTR_INTS &&
        try_swapped(m, at, &node->attrs[i])) {
      return true;
    }
  }
  return false;
}

/* ---- numbers ---- */

/* An integer argument, by rank. */
typedef struct number {
  spi_mender *m;
  uint32_t at;
  const sp_attr *attr;
  int64_t ranks;
  int64_t *was;
} number;

static bool number_of(spi_mender *m, uint32_t at, const sp_attr *a,
                      number *out) {
  int64_t ranks = m->s->dist_program->partitions;
  if (a->kind != SP_ATTR_INT &&
      (a->kind != SP_ATTR_RANKED_INT || (int64_t)a->n != ranks)) {
    return false;
  }
  *out = (number){.m = m, .at = at, .attr = a, .ranks = ranks};
  out->was = sp_alloc_n(m->s->ctx, (size_t)ranks + 1, sizeof *out->was);
  for (int64_t r = 0; r < ranks; r++) {
    out->was[r] = a->kind == SP_ATTR_INT ? a->u.i : a->u.ints[r];
  }
  return true;
}

static const char *by_rank_text(const number *x, const int64_t *v) {
  sp_ctx *ctx = x->m->s->ctx;
  bool same = true;
  for (int64_t r = 1; r < x->ranks; r++) {
    same = same && v[r] == v[0];
  }
  if (same) {
    return sp_format(ctx, "%lld on every rank", (long long)v[0]);
  }
  size_t n = x->ranks < SHOWN ? (size_t)x->ranks : SHOWN;
  return sp_format(ctx, "%s%s by rank", ints_text(ctx, v, n),
                   x->ranks > SHOWN ? ", ..." : "");
}

static bool try_values(const number *x, const int64_t *v) {
  spi_mender *m = x->m;
  const sp_node *node = &m->program->nodes[x->at];
  if (memcmp(v, x->was, (size_t)x->ranks * sizeof *v) == 0) {
    return false;
  }
  int64_t *kept = sp_alloc_n(m->s->ctx, (size_t)x->ranks, sizeof *kept);
  memcpy(kept, v, (size_t)x->ranks * sizeof *v);
  sp_attr value = {
      .kind = SP_ATTR_RANKED_INT, .u.ints = kept, .n = (size_t)x->ranks};
  spi_edit e = {.node = x->at,
                .becomes =
                    spi_edit_attr(m->s->ctx, node, x->attr->name, value)};
  return spi_offer(m, &e,
                   "has the wrong number, %s; with %s all results are right",
                   by_rank_text(x, x->was), by_rank_text(x, v));
}

typedef struct strides {
  int64_t v[MAX_STRIDES];
  size_t n;
} strides;

static void add_stride(strides *s, int64_t v) {
  for (size_t i = 0; i < s->n; i++) {
    if (s->v[i] == v) {
      return;
    }
  }
  if (s->n < MAX_STRIDES && v > 0) {
    s->v[s->n++] = v;
  }
}

/* What ranks may be apart: one, blocks of inputs, parts of the result. */
static void find_strides(const number *x, const spi_cut *cut, strides *out) {
  const sp_state *s = x->m->s;
  const sp_shape *own =
      &x->m->program->tensors[x->m->program->nodes[x->at].out].shape;
  int64_t size = 1;
  add_stride(out, 1);
  for (uint32_t d = own->n_dims; d-- > 0;) {
    size *= own->dims[d];
    add_stride(out, size);
  }
  for (size_t i = 0; i < s->problem->n_given; i++) {
    const sp_shape *g =
        &s->seq_program->tensors[s->problem->given[i].seq].shape;
    for (uint32_t d = 0; d < g->n_dims; d++) {
      add_stride(out, (g->dims[d] + cut->n - 1) / cut->n);
    }
  }
}

/* start + stride * coordinate */
static bool try_coordinate(const number *x, const spi_cut *cut) {
  sp_state *s = x->m->s;
  const int64_t *at = spi_by_rank(s, cut->coordinate);
  int64_t *v = sp_alloc_n(s->ctx, (size_t)x->ranks + 1, sizeof *v);
  strides step = {.n = 0};
  find_strides(x, cut, &step);
  for (size_t i = 0; at && i < step.n; i++) {
    int64_t starts[] = {0, step.v[i], x->was[0]};
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
      for (int64_t r = 0; r < x->ranks; r++) {
        v[r] = starts[k] + step.v[i] * at[r];
      }
      if (try_values(x, v)) {
        return true;
      }
    }
  }
  return false;
}

static bool try_near(const number *x) {
  int64_t *v = sp_alloc_n(x->m->s->ctx, (size_t)x->ranks + 1, sizeof *v);
  for (int64_t add = -1; add <= 1; add++) {
    for (int64_t r = 0; r < x->ranks; r++) {
      v[r] = x->was[r] + add;
    }
    if (try_values(x, v)) {
      return true;
    }
  }
  for (int64_t shift = 1; shift < x->ranks && x->ranks <= 16; shift++) {
    for (int64_t r = 0; r < x->ranks; r++) {
      v[r] = x->was[(r + shift) % x->ranks];
    }
    if (try_values(x, v)) {
      return true;
    }
  }
  return false;
}

/* ---- one number in several places ---- */

/* Numbers that are the same distance from it on every rank: an offset that is
 * used again, and its end. */
typedef struct kin {
  uint32_t n;
  number v[MAX_KIN];
} kin;

static void find_kin(const number *x, kin *out) {
  const sp_program *p = x->m->program;
  out->n = 0;
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    for (uint32_t k = 0; k < p->nodes[i].n_attrs && out->n < MAX_KIN; k++) {
      const sp_attr *a = &p->nodes[i].attrs[k];
      number *y = &out->v[out->n];
      if (i == x->at || a->kind != SP_ATTR_RANKED_INT ||
          !number_of(x->m, i, a, y)) {
        continue;
      }
      bool same = true;
      for (int64_t r = 1; r < x->ranks; r++) {
        same = same && y->was[r] - x->was[r] == y->was[0] - x->was[0];
      }
      out->n += same;
    }
  }
}

static bool try_with_kin(const number *x, const kin *all, const int64_t *v) {
  spi_mender *m = x->m;
  spi_edit edits[MAX_KIN + 1];
  for (uint32_t i = 0; i <= all->n; i++) {
    const number *y = i ? &all->v[i - 1] : x;
    int64_t *kept = sp_alloc_n(m->s->ctx, (size_t)x->ranks, sizeof *kept);
    for (int64_t r = 0; r < x->ranks; r++) {
      kept[r] = v[r] + y->was[0] - x->was[0];
    }
    sp_attr value = {
        .kind = SP_ATTR_RANKED_INT, .u.ints = kept, .n = (size_t)x->ranks};
    edits[i] = (spi_edit){.node = y->at,
                          .becomes = spi_edit_attr(m->s->ctx,
                                                   &m->program->nodes[y->at],
                                                   y->attr->name, value)};
  }
  return spi_offer_all(m, all->n + 1, edits,
                       "has the wrong number, %s, and so have %u others that "
                       "go with it; with %s all results are right",
                       by_rank_text(x, x->was), all->n, by_rank_text(x, v));
}

/* The same numbers, or multiples of a coordinate, dealt to other ranks. */
static bool try_kin(const number *x) {
  sp_state *s = x->m->s;
  kin all;
  if (x->attr->kind != SP_ATTR_RANKED_INT) {
    return false;
  }
  find_kin(x, &all);
  int64_t *v = sp_alloc_n(s->ctx, (size_t)x->ranks + 1, sizeof *v);
  for (size_t c = 0; all.n && c < s->cuts.n; c++) {
    const int64_t *at = spi_by_rank(s, s->cuts.v[c].coordinate);
    strides step = {.n = 0};
    find_strides(x, &s->cuts.v[c], &step);
    for (size_t i = 0; at && i < step.n; i++) {
      for (int64_t r = 0; r < x->ranks; r++) {
        v[r] = step.v[i] * at[r];
      }
      if (memcmp(v, x->was, (size_t)x->ranks * sizeof *v) != 0 &&
          try_with_kin(x, &all, v)) {
        return true;
      }
    }
  }
  return false;
}

/* Arguments of operators that choose dimensions are no numbers. */
static bool has_numbers(const sp_node *node) {
  static const char *const with[] = {"add",   "sub",    "lt",    "le",  "gt",
                                     "ge",    "eq",     "ne",    "mul", "div",
                                     "slice", "narrow", "select"};
  const char *end;
  for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
    if (has_stem(node, with[i], &end)) {
      return true;
    }
  }
  return has_stem(node, "arange", &end);
}

static bool try_numbers(spi_mender *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  number x;
  for (uint32_t i = 0; has_numbers(node) && i < node->n_attrs; i++) {
    const sp_attr *a = &node->attrs[i];
    if (strncmp(a->name, "arg", 3) != 0 || !number_of(m, at, a, &x)) {
      continue;
    }
    for (size_t k = 0; k < m->s->cuts.n; k++) {
      if (try_coordinate(&x, &m->s->cuts.v[k])) {
        return true;
      }
    }
    if (try_near(&x) || try_kin(&x)) {
      return true;
    }
  }
  return false;
}

bool spi_try_fx(spi_mender *m, uint32_t at) {
  return is_fx(&m->program->nodes[at]) &&
         (try_comparison(m, at) || try_numbers(m, at) || try_order(m, at) ||
          try_operator(m, at) || try_axes(m, at));
}
