/* propagate.c: the loop over the distributed program.
 *
 * For each distributed tensor, in order: its term over what is known. A term
 * without arithmetic is its relation. Otherwise look for a sequential tensor
 * whose term has the same skeleton (find.c), solve for the index map, prove
 * (attempt.c). What finds no partner is inlined into its users. See
 * docs/proof.md.
 */
#include "solve/propagate.h"

#include "solve/layers.h"
#include "solve/loop.h"
#include "solve/machine.h"

#include <string.h>

enum { MAX_CHOICES = 512 }; /* in each other: one for each step of a ring */
/* New terms while one tensor is related. */
enum { MAX_TERMS = 150000 };

/* Where runs differ, proving only helps to say where: it gets little time. */
enum { DOUBTED_MS = 30 };
enum { DOUBTED_TERMS = 20000 };
static const double DOUBTED_SECONDS = 0.5;

const char *spi_why_late(const sp_state *s) {
  return sp_prover_full(s->prover)
             ? "not looked at: the proof takes all the memory it may (--memory)"
         : sp_prover_worn(s->prover)
             ? "not looked at: the proof took all the work it may (--budget)"
             : "not looked at: runs show that the programs differ";
}

void spi_hasten(sp_state *s) {
  sp_prover_hurry(s->prover, DOUBTED_MS);
  sp_prover_deadline(s->prover, DOUBTED_SECONDS, DOUBTED_TERMS);
  sp_prover_effort(s->prover, MAX_TERMS);
}

/* Reads, constants, choices between them: nothing to match. */
bool spi_is_clean(const sp_state *s, sp_expr e, int depth) {
  const sp_pool *p = s->pool;
  if (sp_sort_of(p, e) != SP_SORT_REAL) {
    return !sp_has_red(p, e);
  }
  if (!sp_has_read(p, e)) {
    return !sp_has_red(p, e);
  }
  sp_kind kind = sp_kind_of(p, e);
  if (kind == SP_KIND_ITE) {
    return depth < MAX_CHOICES && !sp_has_red(p, sp_arg(p, e, 0)) &&
           spi_is_clean(s, sp_arg(p, e, 1), depth + 1) &&
           spi_is_clean(s, sp_arg(p, e, 2), depth + 1);
  }
  return kind == SP_KIND_READ || kind == SP_KIND_NUM || kind == SP_KIND_INF ||
         (kind == SP_KIND_I2R && !sp_has_red(p, e));
}

static void make_view(sp_state *s, uint32_t t) {
  dist_tensor *w = &s->dist[t];
  sp_prover_about(s->prover, s->dist_program->tensors[t].name);
  if (sp_prove_equal(s->prover, spi_dist_raw(s, t), w->def, (sp_hyps){0})) {
    w->relation = w->def;
    w->how = "view";
    s->stats.views++;
  } else {
    w->how = sp_format(s->ctx,
                       "its simplified form %s was not proved equal to its "
                       "definition %s",
                       sp_show(s->pool, w->def),
                       sp_show(s->pool, spi_dist_raw(s, t)));
    s->stats.unrelated++;
  }
}

void spi_adopt(sp_state *s, const spi_attempt *a, sp_expr relation) {
  dist_tensor *w = &s->dist[a->dist];
  w->relation = relation;
  w->seq = a->seq + 1;
  w->nearest = NULL;
  w->how = "matched";
  if (a->seq > s->last) {
    s->last = a->seq;
    s->last_at = a->dist;
  }
  s->stats.matched++;
}

sp_expr spi_anchor_at(sp_state *s, const spi_attempt *a) {
  sp_expr phi[SP_MAX_DIMS];
  memcpy(phi, a->phi, sizeof phi);
  uint32_t root = spi_root(s, a->seq, phi);
  spi_seq_make_anchor(s, root);
  sp_expr e = spi_seq_symbol(s, root, phi);
  return a->scale.v ? sp_scale(s->pool, e, a->scale) : e;
}

/* The same operator on the same tensors in another version of the program. */
static bool is_twin(sp_state *s, spi_attempt *a) {
  uint32_t t = s->twins ? s->twins[a->dist] : SP_NO_TENSOR;
  if (t == SP_NO_TENSOR || s->seq[t].opaque) {
    return false;
  }
  spi_refresh_for(s, a->dist); /* finds tensors of equal value */
  t = s->seq[t].alias ? s->seq[t].alias - 1 : t;
  const sp_shape *shape = &s->dist_program->tensors[a->dist].shape;
  for (uint32_t d = 0; d < shape->n_dims; d++) {
    a->phi[d] = s->dist[a->dist].idx[d];
  }
  a->seq = t;
  return spi_prove_step(s, a, t);
}

/* The same operator on operands that are proved equal. */
static bool is_same_operator(sp_state *s, uint32_t t) {
  const sp_node *node =
      &s->dist_program->nodes[s->dist_program->tensors[t].node];
  uint32_t v = spi_same_operator(s, t);
  uint32_t n = spi_is_loop(node) ? node->n_out : 1; /* all results at once */
  if (v == SP_NO_TENSOR) {
    return false;
  }
  for (uint32_t o = 0; o < n; o++) {
    spi_attempt a = {.dist = t + o, .seq = v + o};
    if (s->seq[a.seq].alias) {
      a.seq = s->seq[a.seq].alias - 1;
    }
    for (uint32_t d = 0; d < s->dist_program->tensors[t + o].shape.n_dims;
         d++) {
      a.phi[d] = s->dist[t + o].idx[d];
    }
    spi_adopt(s, &a, spi_anchor_at(s, &a));
    s->dist[t + o].how = "the same operator on equal operands";
  }
  return true;
}

static void relate(sp_state *s, uint32_t t) {
  dist_tensor *w = &s->dist[t];
  const sp_node *node =
      &s->dist_program->nodes[s->dist_program->tensors[t].node];
  if (spi_is_loop(node) && !w->def.v) {
    if (is_same_operator(s, t)) {
      return;
    }
    spi_loop_relate(s, node);
    if (w->how) {
      return;
    }
  }
  sp_expr e = spi_dist_def(s, t);
  spi_dist_raw(s, t);
  if (w->opaque) {
    s->stats.unrelated += !is_same_operator(s, t);
    return;
  }
  bool view = spi_is_clean(s, e, 0);
  if (view && !spi_mixes_bits(s, e)) {
    make_view(s, t);
    return;
  }
  spi_attempt a = {.dist = t, .term = e, .raw = spi_dist_raw(s, t)};
  spi_seq_wake(s, e);
  if (is_twin(s, &a)) {
    spi_adopt(s, &a, spi_anchor_at(s, &a));
    return;
  }
  if (is_same_operator(s, t)) {
    return;
  }
  if (spi_look_for(s, &a)) {
    spi_adopt(s, &a, spi_anchor_at(s, &a));
    return;
  }
  if (view) {
    make_view(s, t);
    return;
  }
  /* Between versions what is related on one side of a border only is wrong. */
  if (!s->problem->versions && spi_relate_inside(s, t)) {
    return;
  }
  w->how = "no sequential tensor equals it; inlined into its users";
  s->stats.unrelated++;
}

void spi_propagate(sp_state *s) {
  const sp_program *p = s->dist_program;
  const uint32_t *around = s->twins; /* of the program around a loop's body */
  s->twins = s->problem->versions ? spi_twins(s) : NULL;
  for (uint32_t t = 0; t < p->n_tensors; t++) {
    if (s->options->progress && !s->parent) {
      s->options->progress(s->options->user, t, p->n_tensors,
                           p->tensors[t].name);
    }
    sp_prover_effort(s->prover, 0);
    sp_prover_look(s->prover);
    if (sp_prover_late(s->prover)) {
      s->dist[t].how = spi_why_late(s);
    }
    if (!s->dist[t].relation.v && !s->dist[t].how && !s->dist[t].opaque) {
      sp_prover_effort(s->prover, MAX_TERMS);
      if (!spi_layers_relate(s, t)) {
        spi_layers_begin(s, t);
        relate(s, t);
        spi_layers_end(s, t);
      }
      spi_learn_cuts(s, t);
    }
  }
  sp_prover_effort(s->prover, 0);
  s->twins = around;
}
