/* opaque_scalars.c: computations on scalars, one value at a time: a tape of one
 * lane whose parameters are sources of one element. */
#include "solve/opaque.h"

struct spi_scalars {
  uint32_t n_params, n_results;
  const spi_tape *tape;
  spi_tape_state *state;
  spi_source *sources; /* of the tape */
  sp_sort *sorts;      /* of the parameters */
  spi_lane *values;    /* of the parameters: what the sources point to */
};

spi_scalars *spi_scalars_of(sp_pool *p, const sp_node *node) {
  sp_ctx *ctx = sp_pool_ctx(p);
  const sp_attr *a = sp_node_attr(node, "to_apply");
  if (!a || a->kind != SP_ATTR_REGION) {
    return NULL;
  }
  const sp_program *region = a->u.region;
  spi_scalars *s = sp_alloc(ctx, sizeof *s);
  s->n_params = region->n_params;
  s->n_results = region->n_results;
  s->sorts = sp_alloc_n(ctx, s->n_params + 1u, sizeof *s->sorts);
  s->values = sp_alloc_n(ctx, s->n_params + 1u, sizeof *s->values);
  sp_expr *params = sp_alloc_n(ctx, s->n_params + 1u, sizeof *params);
  sp_expr *results = sp_alloc_n(ctx, s->n_results + 1u, sizeof *results);
  sp_sym *syms = sp_alloc_n(ctx, s->n_params + 1u, sizeof *syms);
  for (uint32_t i = 0; i < s->n_params; i++) {
    s->sorts[i] = sp_dtype_sort(region->tensors[region->params[i]].shape.dtype);
    syms[i] = sp_sym_new(p, "parameter", s->sorts[i], 0, NULL);
    params[i] = sp_read(p, syms[i], NULL);
  }
  sp_region_apply(p, region, params, results);
  spi_tape_spec spec = {.n_outs = s->n_results, .outs = results};
  s->tape = spi_tape_compile(p, &spec);
  s->state = spi_tape_state_new(ctx, s->tape->n_regs);
  s->sources = sp_alloc_n(ctx, s->tape->n_sources + 1u, sizeof *s->sources);
  for (uint32_t k = 0; k < s->tape->n_sources; k++) {
    s->sources[k] = s->tape->sources[k];
    for (uint32_t i = 0; i < s->n_params; i++) {
      if (syms[i].v == s->sources[k].sym.v) {
        s->sources[k].data = &s->values[i];
      }
    }
  }
  return s;
}

uint32_t spi_scalars_params(const spi_scalars *s) {
  return s ? s->n_params : 0;
}

uint32_t spi_scalars_results(const spi_scalars *s) {
  return s ? s->n_results : 0;
}

void spi_scalars_set(spi_scalars *s, uint32_t param, spi_lane v) {
  if (s->sorts[param] == SP_SORT_BOOL) {
    *(uint8_t *)&s->values[param] = v.i != 0;
  } else {
    s->values[param] = v;
  }
}

/* Everything is uniform: starting the tape computes it. */
void spi_scalars_run(spi_scalars *s) {
  spi_tape_start(s->tape, s->state, s->sources, 0, NULL);
  spi_tape_run(s->tape, s->state, 0, NULL, 0, 1);
}

void spi_scalars_start(spi_scalars *s) {
  if (s) {
    spi_scalars_run(s);
  }
}

spi_lane spi_scalars_get(const spi_scalars *s, uint32_t result) {
  return s->state->reg[s->tape->outs[result]][0];
}
