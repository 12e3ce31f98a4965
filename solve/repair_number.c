/* repair_number.c: numbers in PyTorch graphs, which may differ from rank to
 * rank: offsets, ends, positions. Read spi_try_numbers, then number_of. */
#include "solve/fit.h"
#include "solve/mender.h"

#include <string.h>

enum { MAX_STRIDES = 64, SHOWN = 8, MAX_KIN = 64 };

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
    if (out->was[r] > SP_MAX_ELEMENTS || out->was[r] < -SP_MAX_ELEMENTS) {
      return false; /* the end of x[i:], say; no index, and sums overflow */
    }
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
  return sp_format(ctx, "%s%s by rank", spi_ints_text(ctx, v, n),
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

/* ---- a number for each step of a ring ---- */

/* The number as a function of a coordinate with n values; false: it is none. */
static bool by_coordinate(const number *x, const int64_t *at, int64_t n,
                          int64_t *value) {
  bool *known = sp_alloc_n(x->m->s->ctx, (size_t)n + 1, sizeof *known);
  for (int64_t r = 0; r < x->ranks; r++) {
    int64_t c = at[r];
    if (c < 0 || c >= n || (known[c] && value[c] != x->was[r])) {
      return false;
    }
    known[c] = true;
    value[c] = x->was[r];
  }
  return true;
}

/* v is w of the coordinate `move` further, on a ring of n. */
static bool is_moved(const int64_t *v, const int64_t *w, int64_t n,
                     int64_t move) {
  bool same = true;
  for (int64_t c = 0; c < n && same; c++) {
    same = v[c] == w[(c + move) % n];
  }
  return same;
}

/* Numbers of equal operators, x the first of them, that are what x is on other
 * ranks; value: x by the coordinate. */
static bool find_moved(const number *x, const int64_t *at, int64_t n,
                       int64_t *value, kin *out) {
  const sp_program *p = x->m->program;
  int64_t *own = sp_alloc_n(x->m->s->ctx, (size_t)n + 1, sizeof *own);
  out->n = 0;
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    for (uint32_t k = 0; k < p->nodes[i].n_attrs && out->n < MAX_KIN; k++) {
      const sp_attr *a = &p->nodes[i].attrs[k];
      number *y = &out->v[out->n];
      if (strcmp(p->nodes[i].op, p->nodes[x->at].op) != 0 ||
          a->kind != SP_ATTR_RANKED_INT || !number_of(x->m, i, a, y) ||
          !by_coordinate(y, at, n, own)) {
        continue;
      }
      bool moved = false;
      for (int64_t move = 0; move < n && !moved; move++) {
        moved = is_moved(own, value, n, move);
      }
      out->n += moved;
    }
  }
  return out->n > 1 && out->v[0].at == x->at;
}

/* The places first, first + stride, ... are for the steps of a ring: in step k
 * the number is that of the block that came by k moves. */
typedef struct ring {
  const kin *all;
  const int64_t *at, *value;
  int64_t n, move;
  uint32_t first, stride;
} ring;

static bool try_steps(const number *x, const ring *g) {
  spi_mender *m = x->m;
  sp_ctx *ctx = m->s->ctx;
  spi_edit edits[MAX_KIN];
  const number *wrong = NULL;
  const int64_t *right = NULL;
  uint32_t n = 0;
  int64_t move = 0;
  for (uint32_t i = g->first; i < g->all->n; i += g->stride) {
    const number *y = &g->all->v[i];
    int64_t *v = sp_alloc_n(ctx, (size_t)x->ranks + 1, sizeof *v);
    for (int64_t r = 0; r < x->ranks; r++) {
      v[r] = g->value[(g->at[r] + move) % g->n];
    }
    move = (move + g->move + g->n) % g->n;
    if (memcmp(v, y->was, (size_t)x->ranks * sizeof *v) == 0) {
      continue;
    }
    sp_attr by_rank = {
        .kind = SP_ATTR_RANKED_INT, .u.ints = v, .n = (size_t)x->ranks};
    edits[n++] =
        (spi_edit){.node = y->at,
                   .becomes = spi_edit_attr(ctx, &m->program->nodes[y->at],
                                            y->attr->name, by_rank)};
    right = wrong ? right : v;
    wrong = wrong ? wrong : y;
  }
  return n > 0 &&
         spi_offer_all(m, n, edits,
                       "has the wrong number, %s, that of another step of the "
                       "ring, and so have %u others; with %s, that of the "
                       "block which is there in this step, and alike in the "
                       "others, all results are right",
                       by_rank_text(wrong, wrong->was), n - 1,
                       by_rank_text(wrong, right));
}

static bool try_ring(const number *x) {
  const sp_state *s = x->m->s;
  for (size_t c = 0; x->attr->kind == SP_ATTR_RANKED_INT && c < s->cuts.n;
       c++) {
    kin all;
    const spi_cut *cut = &s->cuts.v[c];
    const int64_t *at = spi_by_rank(x->m->s, cut->coordinate);
    int64_t *value = sp_alloc_n(s->ctx, (size_t)cut->n + 1, sizeof *value);
    if (!at || !by_coordinate(x, at, cut->n, value) ||
        !find_moved(x, at, cut->n, value, &all)) {
      continue;
    }
    for (uint32_t i = 0; i < 12; i++) { /* strides 1, 2, 3; both directions */
      uint32_t stride = i / 2 < 1 ? 1 : i / 2 < 3 ? 2 : 3;
      uint32_t first = i / 2 - stride * (stride - 1) / 2;
      ring g = {&all, at, value, cut->n, i % 2 ? 1 : -1, first, stride};
      if (try_steps(x, &g)) {
        return true;
      }
    }
  }
  return false;
}

/* Arguments of operators that choose dimensions are no numbers. */
static bool has_numbers(const sp_node *node) {
  static const char *const with[] = {
      "add", "sub", "lt",  "le",    "gt",     "ge",     "eq",
      "ne",  "mul", "div", "slice", "narrow", "select", "arange"};
  for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
    if (spi_is_fx(node, with[i])) {
      return true;
    }
  }
  return false;
}

bool spi_try_numbers(spi_mender *m, uint32_t at) {
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
    if (try_near(&x) || try_kin(&x) || try_ring(&x)) {
      return true;
    }
  }
  return false;
}
