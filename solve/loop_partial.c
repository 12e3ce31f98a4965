/* loop_partial.c: read spi_partial_kept, line by line of the lemma. */
#include "solve/loop_partial.h"

#include <string.h>

/* ---- groups ---- */

static int64_t size_of(const sp_groups *g) {
  return g->n_groups ? g->start[1] - g->start[0] : 0;
}

/* Every rank once, in groups of one size. */
static bool is_partition(sp_state *s, const sp_groups *g) {
  int64_t ranks = s->dist_program->partitions, size = size_of(g);
  if (size < 1 || ranks < 1 || (int64_t)g->n_groups * size != ranks) {
    return false;
  }
  sp_mark mark = sp_scratch_mark(s->ctx);
  bool *seen = sp_scratch(s->ctx, (size_t)ranks * sizeof *seen);
  memset(seen, 0, (size_t)ranks * sizeof *seen);
  bool ok = true;
  for (uint32_t i = 0; i < g->n_groups && ok; i++) {
    ok = g->start[i + 1] - g->start[i] == size;
    for (uint32_t at = g->start[i]; at < g->start[i + 1] && ok; at++) {
      int64_t id = g->ids[at];
      ok = id >= 0 && id < ranks && !seen[id];
      if (ok) {
        seen[id] = true;
      }
    }
  }
  sp_scratch_release(s->ctx, mark);
  return ok;
}

static bool same_groups(const sp_groups *a, const sp_groups *b) {
  return a->n_groups == b->n_groups && size_of(a) == size_of(b) &&
         memcmp(a->ids, b->ids, a->start[a->n_groups] * sizeof *a->ids) == 0;
}

static uint32_t add_groups(const sp_groups *g, const sp_groups **out,
                           uint32_t n, uint32_t max) {
  for (uint32_t i = 0; i < n; i++) {
    if (same_groups(out[i], g)) {
      return n;
    }
  }
  if (n < max && size_of(g) > 1) {
    out[n++] = g;
  }
  return n;
}

uint32_t spi_partial_groups(const sp_state *s, const sp_groups **out,
                            uint32_t max) {
  uint32_t n = 0;
  for (const sp_state *at = s; at; at = at->parent) {
    const sp_program *p = at->dist_program;
    for (uint32_t k = 0; p && k < p->n_nodes; k++) {
      const sp_attr *a = sp_node_attr(&p->nodes[k], "replica_groups");
      if (a && a->kind == SP_ATTR_GROUPS) {
        n = add_groups(a->u.groups, out, n, max);
      }
    }
  }
  for (size_t i = 0; i < s->problem->n_promised; i++) {
    const sp_layout *l = s->problem->promised[i].layout;
    if (l && l->groups) {
      n = add_groups(l->groups, out, n, max);
    }
  }
  return n;
}

/* The device at position k of this rank's group. */
static sp_expr member(sp_state *s, const sp_groups *g, sp_expr k) {
  sp_pool *p = s->pool;
  int64_t ranks = s->dist_program->partitions, size = size_of(g);
  if (size == ranks) {
    return sp_table(p, g->ids, ranks, k);
  }
  int64_t *group = sp_alloc_n(s->ctx, (size_t)ranks, sizeof *group);
  for (uint32_t i = 0; i < g->n_groups; i++) {
    for (uint32_t at = g->start[i]; at < g->start[i + 1]; at++) {
      group[g->ids[at]] = i;
    }
  }
  sp_expr mine = sp_table(p, group, ranks, s->rank);
  return sp_table(p, g->ids, ranks, sp_iadd(p, sp_iscale(p, mine, size), k));
}

/* The sum over the group of a term over the rank. */
static sp_expr summed(sp_state *s, const sp_groups *g, sp_expr e) {
  sp_expr k = sp_fresh(s->pool, size_of(g));
  sp_expr at = member(s, g, k);
  e = sp_subst(s->pool, e, 1, &s->rank, &at);
  return sp_red(s->pool, SP_RED_SUM, 1, &k, e);
}

static sp_expr summed_known(sp_state *s, const sp_groups *g, sp_expr e) {
  return spi_by_known_sums(s, summed(s, g, e));
}

static sp_expr scaled(sp_state *s, sp_expr e, int64_t by) {
  return by == 1 ? e : sp_scale(s->pool, e, sp_num_from_i64(s->pool, by));
}

static bool equal(sp_state *s, sp_expr a, sp_expr b) {
  return sp_probe_equal(s->prover, a, b, (sp_hyps){0}) &&
         (sp_prove_equal(s->prover, a, b, (sp_hyps){0}) ||
          sp_prove_equal(s->prover, spi_expand(s, a, true),
                         spi_expand(s, b, true), (sp_hyps){0}));
}

/* ---- before the loop ---- */

static sp_expr dist_value(sp_state *s, uint32_t w) {
  return s->dist[w].relation.v ? s->dist[w].relation : spi_dist_raw(s, w);
}

static bool is_real(const sp_state *s, const spi_partial *x) {
  return sp_sym_sort(s->pool, s->seq[x->seq].sym) == SP_SORT_REAL &&
         sp_sym_sort(s->pool, s->dist[x->dist].sym) == SP_SORT_REAL;
}

bool spi_partial_holds(sp_state *s, const spi_partial *x) {
  if (sp_kind_of(s->pool, s->rank) != SP_KIND_VAR ||
      !is_partition(s, x->groups) || !is_real(s, x) ||
      !spi_seq_defined(s, x->seq)) {
    return false;
  }
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  sp_expr got = summed_known(s, x->groups, dist_value(s, x->dist));
  sp_expr want = scaled(s, spi_seq_read(s, x->seq, x->phi, true), x->scale);
  bool ok = equal(s, want, got);
  sp_pool_mode(s->pool, was);
  return ok;
}

/* ---- a step ---- */

/* e = rest + factor * own, for any function that `own` reads. */
typedef struct affine {
  sp_expr rest, factor;
} affine;

/* The value is 0 or 1 everywhere, or one number: then products with it are
 * cases, or linear. */
static bool prove_affine(sp_state *s, sp_expr e, sp_sym sym, sp_expr own,
                         affine *out) {
  sp_pool *p = s->pool;
  sp_expr zero = sp_real_i64(p, 0), one = sp_real_i64(p, 1);
  out->rest = spi_replace_symbol(p, e, sym, zero);
  out->factor = sp_sub(p, spi_replace_symbol(p, e, sym, one), out->rest);
  if (sp_kind_of(p, out->factor) == SP_KIND_NUM) {
    sp_expr linear =
        sp_add(p, out->rest, sp_scale(p, own, sp_num_value(p, out->factor)));
    return sp_prove_equal(s->prover, e, linear, (sp_hyps){0});
  }
  sp_expr is_one = sp_eq(p, out->factor, one);
  sp_expr is_zero = sp_eq(p, out->factor, zero);
  sp_hyps when_one = spi_hyps_with(s->prover, (sp_hyps){0}, is_one);
  sp_hyps when_zero = spi_hyps_with(s->prover, (sp_hyps){0}, is_zero);
  return sp_prove_holds(s->prover, "loop: the step keeps or replaces",
                        sp_or(p, is_one, is_zero), (sp_hyps){0}) &&
         sp_prove_equal(s->prover, e, sp_add(p, out->rest, own), when_one) &&
         sp_prove_equal(s->prover, e, out->rest, when_zero);
}

static sp_expr own_dist(sp_state *s, uint32_t w) {
  sp_expr idx[SP_MAX_DIMS + 1];
  uint32_t n = s->dist_program->tensors[w].shape.n_dims;
  idx[0] = s->rank;
  for (uint32_t d = 0; d < n; d++) {
    idx[d + 1] = s->dist[w].idx[d];
  }
  return sp_read(s->pool, s->dist[w].sym, idx);
}

static bool step_kept(sp_state *s, const spi_partial *x, uint32_t r_seq,
                      uint32_t r_dist) {
  sp_pool *p = s->pool;
  uint32_t n = s->seq_program->tensors[r_seq].shape.n_dims;
  const sp_expr *i = s->seq[r_seq].idx;
  sp_expr after = s->seq[r_seq].opaque ? spi_seq_read(s, r_seq, i, true)
                                       : spi_seq_raw(s, r_seq);
  sp_sym seq_sym = s->seq[x->seq].sym;
  affine seq, dist;
  if (!prove_affine(s, after, seq_sym, spi_seq_symbol(s, x->seq, i), &seq) ||
      !prove_affine(s, dist_value(s, r_dist), s->dist[x->dist].sym,
                    own_dist(s, x->dist), &dist)) {
    return false;
  }
  sp_expr b = sp_subst(p, seq.factor, n, i, x->phi);
  sp_expr k = sp_fresh(p, size_of(x->groups));
  sp_expr at = member(s, x->groups, k);
  sp_expr a = sp_subst(p, dist.factor, 1, &s->rank, &at);
  sp_expr g = sp_subst(p, seq.rest, n, i, x->phi);
  return equal(s, b, a) && equal(s, scaled(s, g, x->scale),
                                 summed_known(s, x->groups, dist.rest));
}

bool spi_partial_kept(sp_state *s, const spi_partial *x, uint32_t r_seq,
                      uint32_t r_dist) {
  spi_seq_refresh(s, 4);
  if (s->dist[x->dist].relation.v || !s->seq[x->seq].anchor ||
      !s->seq[x->seq].opaque || !spi_seq_defined(s, r_seq)) {
    return false;
  }
  sp_mode was = sp_pool_mode(s->pool, SP_MODE_RAW_INDEX);
  bool ok = step_kept(s, x, r_seq, r_dist);
  sp_pool_mode(s->pool, was);
  return ok;
}

/* ---- after the loop: sums that are known ---- */

static bool reads(sp_pool *p, sp_expr e, sp_sym sym, int depth) {
  if (depth > 100 || !sp_has_read(p, e)) {
    return false;
  }
  if (sp_kind_of(p, e) == SP_KIND_READ && sp_read_sym(p, e).v == sym.v) {
    return true;
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    if (reads(p, sp_arg(p, e, i), sym, depth + 1)) {
      return true;
    }
  }
  return false;
}

/* red, if it is proved to be the known sum at some index. */
static sp_expr by_known_sum(sp_state *s, const spi_partial *x, sp_expr red) {
  sp_pool *p = s->pool;
  uint32_t n_vars = sp_red_n_vars(p, red);
  sp_sym sym = s->dist[x->dist].sym;
  if (n_vars != 1 || sp_red_op_of(p, red) != SP_RED_SUM) {
    return (sp_expr){0};
  }
  sp_expr var;
  sp_expr body = sp_red_open(p, red, &var);
  if (sp_kind_of(p, body) != SP_KIND_READ || sp_read_sym(p, body).v != sym.v) {
    return (sp_expr){0};
  }
  uint32_t n = s->dist_program->tensors[x->dist].shape.n_dims;
  const sp_expr *from = s->dist[x->dist].idx;
  sp_expr to[SP_MAX_DIMS + 1];
  for (uint32_t d = 0; d < n; d++) {
    to[d] = sp_arg(p, body, d + 1);
    if (sp_has_free(p, to[d], var)) {
      return (sp_expr){0};
    }
  }
  /* Summed over the group first, then at the index: it may depend on the
   * rank, which is this one for all addends. */
  sp_expr known =
      sp_subst(p, summed(s, x->groups, own_dist(s, x->dist)), n, from, to);
  if (known.v != red.v &&
      !sp_prove_equal(s->prover, known, red, (sp_hyps){0})) {
    return (sp_expr){0};
  }
  uint32_t m = s->seq_program->tensors[x->seq].shape.n_dims;
  sp_expr phi[SP_MAX_DIMS + 1];
  for (uint32_t d = 0; d < m; d++) {
    phi[d] = sp_subst(p, x->phi[d], n, from, to);
  }
  return scaled(s, spi_seq_symbol(s, x->seq, phi), x->scale);
}

typedef struct rewriting {
  sp_state *s;
  bool split; /* inside a sum that has been split */
} rewriting;

static sp_expr rewrite_node(void *env, sp_pool *p, sp_expr e) {
  rewriting *x = env;
  sp_state *s = x->s;
  if (!sp_has_red(p, e)) {
    return e;
  }
  if (sp_kind_of(p, e) != SP_KIND_RED) {
    return (sp_expr){0};
  }
  bool may = false;
  for (size_t i = 0; i < s->sums.n; i++) {
    const spi_partial *sum = &s->sums.v[i];
    if (reads(p, sp_red_body(p, e), s->dist[sum->dist].sym, 0)) {
      sp_expr to = by_known_sum(s, sum, e);
      if (to.v) {
        return to;
      }
      may = true;
    }
  }
  if (!may || x->split) {
    return (sp_expr){0};
  }
  /* It may be the sum of several, or of one with a factor. */
  sp_expr parts = sp_split_sums(p, e);
  rewriting inner = {s, true};
  sp_expr to = sp_map(p, parts, rewrite_node, &inner);
  bool ok =
      to.v != parts.v &&
      (parts.v == e.v || sp_prove_equal(s->prover, parts, e, (sp_hyps){0}));
  return ok ? to : (sp_expr){0};
}

sp_expr spi_by_known_sums(sp_state *s, sp_expr e) {
  rewriting x = {s, false};
  return s->sums.n && sp_has_red(s->pool, e)
             ? sp_map(s->pool, e, rewrite_node, &x)
             : e;
}
