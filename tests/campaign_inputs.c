/* campaign_inputs.c: inputs of both programs, and whether their results differ:
 * read camp_inputs_draw and camp_differ. */
#include "tests/campaign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double drawn(camp_rng *r, sp_dtype t, uint32_t mode) {
  uint32_t x = camp_draw(r, 65);
  if (t == SP_PRED) {
    return x % 2;
  }
  if (t == SP_S32) {
    return mode == 1 ? (x % 2 ? -3 : 12) : (double)(x % 16) - 3;
  }
  return mode == 2 ? (x % 2 ? 0.5 : -0.25) : ((double)x - 32) / 16;
}

/* The element of the global tensor that is element flat of the device's part;
 * -1: padding. */
int64_t camp_global_index(const camp_mesh *m, const camp_value *v,
                          const camp_node *global, const camp_node *local,
                          int64_t device, int64_t flat) {
  int64_t idx[CAMP_DIMS];
  camp_unflatten(local, flat, idx);
  for (uint32_t d = 0; d < local->n_dims; d++) {
    int64_t block = 0;
    for (uint32_t a = 0; a < m->n_axes; a++) {
      if (v->at[a].held == CAMP_PART && v->at[a].dim == d) {
        block = block * m->size[a] + camp_coordinate(m, device, a);
      }
    }
    idx[d] += block * local->dims[d];
  }
  return camp_inside(global, idx) ? camp_flatten(global, idx) : -1;
}

camp_inputs camp_inputs_draw(sp_ctx *ctx, const camp_program *seq,
                             const camp_sharded *sharded, const camp_mesh *mesh,
                             uint64_t seed, uint32_t mode) {
  camp_rng r = camp_rng_of(seed, 77 + mode);
  size_t n = seq->params.n;
  camp_inputs in = {
      .seq = sp_alloc_n(ctx, n + 1, sizeof *in.seq),
      .dist = sp_alloc_n(ctx, n * (size_t)mesh->devices + 1, sizeof *in.dist)};
  for (size_t k = 0; k < n; k++) {
    const camp_node *g = camp_at(seq, seq->params.v[k]);
    const camp_node *l = camp_at(sharded->dist, sharded->dist->params.v[k]);
    size_t count = (size_t)camp_elements(g);
    in.seq[k] = sp_alloc_n(ctx, count + 1, sizeof(double));
    for (size_t i = 0; i < count; i++) {
      in.seq[k][i] = drawn(&r, g->low ? SP_PRED : g->type, mode);
    }
    for (int64_t d = 0; d < mesh->devices; d++) {
      size_t local = (size_t)camp_elements(l);
      double *v = sp_alloc_n(ctx, local + 1, sizeof *v);
      for (size_t i = 0; i < local; i++) {
        int64_t from =
            camp_global_index(mesh, &sharded->params[k], g, l, d, (int64_t)i);
        v[i] = from >= 0           ? in.seq[k][from]
               : g->type == SP_F32 ? 50 + drawn(&r, g->type, 0)
                                   : drawn(&r, g->type, 0);
      }
      in.dist[k * (size_t)mesh->devices + (size_t)d] = v;
    }
  }
  return in;
}

/* What is no number is outside of what is proved (docs/soundness.md). */
static bool value_differs(double want, double got, double scale, sp_dtype t,
                          bool any) {
  if (!isfinite(want) || (!any && !isfinite(got))) {
    return false;
  }
  return t == SP_F32 ? !(fabs(want - got) <= 1e-6 * scale) : want != got;
}

bool camp_differ(sp_ctx *ctx, const camp_program *seq,
                 const camp_sharded *sharded, const camp_mesh *mesh,
                 const camp_inputs *in, bool any, camp_difference *out) {
  double **want = camp_run(ctx, seq, 1, in->seq);
  double **got = camp_run(ctx, sharded->dist, mesh->devices, in->dist);
  for (uint32_t k = 0; k < seq->results.n; k++) {
    const camp_node *g = camp_at(seq, seq->results.v[k]);
    const camp_node *l = camp_at(sharded->dist, sharded->dist->results.v[k]);
    double scale = any ? 1e-300 : 1e-3;
    for (int64_t i = 0; i < camp_elements(g); i++) {
      scale = isfinite(want[k][i]) ? fmax(scale, fabs(want[k][i])) : scale;
    }
    for (int64_t d = 0; d < mesh->devices; d++) {
      const double *v = got[k * mesh->devices + d];
      for (int64_t i = 0; i < camp_elements(l); i++) {
        int64_t at = camp_global_index(mesh, &sharded->results[k], g, l, d, i);
        if (at >= 0 && value_differs(want[k][at], v[i], scale, g->type, any)) {
          *out = (camp_difference){k, d, i, want[k][at], v[i]};
          return true;
        }
      }
    }
  }
  return false;
}
