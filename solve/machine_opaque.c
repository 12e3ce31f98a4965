/* machine_opaque.c: operators whose element is an opaque function of whole
 * slices: f(slice of a, slice of b, ..., position). Read spi_opaque_run: for
 * each choice of the dimensions that slices are taken at, the slices are
 * computed and the function (machine_function.c) gives the results at all
 * positions. */
#include "solve/machine.h"
#include "solve/opaque.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"

/* ---- compiling ---- */

typedef struct opener {
  sp_machine *m;
  spi_opaque *o;
  const spi_compiled *c;
  const sp_shape *shape;
} opener;

/* The term of slice k over the rank, the indices, and the slice's variables. */
static spi_slice compile_slice(const opener *x, sp_expr e) {
  spi_engine *g = x->m->e;
  sp_pool *p = g->pool;
  bool lambda =
      sp_kind_of(p, e) == SP_KIND_RED && sp_red_op_of(p, e) == SP_RED_LAMBDA;
  uint32_t n = lambda ? sp_red_n_vars(p, e) : 0, d = x->shape->n_dims;
  spi_slice s = {.n = 1,
                 .sort = sp_sort_of(p, e),
                 .index = !lambda && sp_sort_of(p, e) == SP_SORT_INT};
  sp_expr *vars = sp_alloc_n(g->ctx, n + d + 1u, sizeof *vars);
  int64_t *extents = sp_alloc_n(g->ctx, n + d + 1u, sizeof *extents);
  vars[0] = g->rank;
  extents[0] = g->ranks;
  for (uint32_t i = 0; i < d; i++) {
    vars[1 + i] = x->c->idx[i];
    extents[1 + i] = x->shape->dims[i];
  }
  for (uint32_t i = 0; i < n; i++) {
    extents[1 + d + i] = sp_kind_of(p, sp_arg(p, e, i)) == SP_KIND_VAR
                             ? sp_var_extent(p, sp_arg(p, e, i))
                             : 1;
    if (!sp_mul_ok(s.n, extents[1 + d + i], &s.n) || s.n >= SP_MAX_ELEMENTS) {
      sp_raise(g->ctx, SP_ERR_LIMIT, sp_nowhere(), NULL,
               "a slice is too large");
    }
  }
  s.extents = extents + 1 + d;
  if (s.n > 0) {
    sp_expr body = lambda ? sp_red_open(p, e, vars + 1 + d) : e;
    spi_tape_spec spec = {.n_outs = 1,
                          .outs = &body,
                          .n_vars = 1 + d + n,
                          .n_uniform = 1 + d,
                          .vars = vars,
                          .extents = extents};
    s.tape = spi_tape_compile(p, &spec);
  }
  return s;
}

/* The last arguments of a function with positions are indices of its own. */
static void find_positions(const opener *x, uint32_t first, uint32_t n) {
  sp_pool *p = x->m->e->pool;
  spi_opaque *o = x->o;
  o->position = sp_alloc_n(x->m->e->ctx, x->shape->n_dims + 1u, sizeof(bool));
  o->n_out = 1;
  for (uint32_t k = first; k < n; k++) {
    sp_expr at = sp_arg(p, x->c->term, k);
    bool found = sp_is_int(p, at, 0); /* of extent 1 */
    for (uint32_t d = 0; d < x->shape->n_dims && !found; d++) {
      if (x->c->idx[d].v == at.v) {
        found = true;
        o->own[o->n_own++] = d;
        o->position[d] = true;
        o->n_out *= x->shape->dims[d];
      }
    }
    if (!found) {
      sp_raise(x->m->e->ctx, SP_ERR_UNKNOWN, sp_nowhere(), NULL,
               "a position that is no index of the result");
    }
  }
}

static bool is_own_index(const opener *x, sp_expr e) {
  bool found = false;
  for (uint32_t d = 0; d < x->shape->n_dims; d++) {
    found = found || (x->c->idx[d].v == e.v && x->shape->dims[d] > 1);
  }
  return found;
}

static uint32_t positions_of(const opener *x, const spi_function *f) {
  sp_pool *p = x->m->e->pool;
  uint32_t n = sp_n_args(p, x->c->term), k = n;
  if (f->positions >= -1) {
    return f->positions < 0 ? n - 1 : (uint32_t)f->positions;
  }
  while (k > 0 && is_own_index(x, sp_arg(p, x->c->term, k - 1))) {
    k--;
  }
  return n - k;
}

static bool has_lambda(sp_pool *p, sp_expr e) {
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    sp_expr a = sp_arg(p, e, i);
    if (sp_kind_of(p, a) == SP_KIND_RED &&
        sp_red_op_of(p, a) == SP_RED_LAMBDA) {
      return true;
    }
  }
  return false;
}

const spi_opaque *spi_opaque_of(sp_machine *m, uint32_t tensor) {
  sp_pool *p = m->e->pool;
  const sp_tensor *t = &m->program->tensors[tensor];
  const spi_compiled *c = m->tensors[tensor].compiled;
  if (sp_kind_of(p, c->term) != SP_KIND_FN) {
    return NULL;
  }
  const char *name = sp_fn_name(p, c->term);
  const spi_function *f = spi_function_find(name);
  if (!f) {
    if (has_lambda(p, c->term)) {
      sp_raise(m->e->ctx, SP_ERR_UNKNOWN, sp_nowhere(), NULL,
               "no values are known of the function %.100s", name);
    }
    return NULL;
  }
  spi_opaque *o = sp_alloc(m->e->ctx, sizeof *o);
  opener x = {m, o, c, &t->shape};
  uint32_t n = sp_n_args(p, c->term);
  uint32_t positions = positions_of(&x, f);
  if (positions > n) {
    return NULL;
  }
  o->f = f;
  o->name = name;
  o->shape = x.shape;
  o->own = sp_alloc_n(m->e->ctx, x.shape->n_dims + 1u, sizeof *o->own);
  o->result = t->result;
  o->n_slices = n - positions;
  o->slices = sp_alloc_n(m->e->ctx, o->n_slices + 1u, sizeof *o->slices);
  o->sort = m->tensors[tensor].sort;
  o->dtype = t->shape.dtype;
  o->node = &m->program->nodes[t->node];
  find_positions(&x, o->n_slices, n);
  for (uint32_t k = 0; k < o->n_slices; k++) {
    o->slices[k] = compile_slice(&x, sp_arg(p, c->term, k));
  }
  o->region = spi_scalars_of(p, o->node);
  o->n_choices = o->n_out ? m->tensors[tensor].n / o->n_out : 0;
  const char *why = f->check(o);
  if (why) {
    sp_raise(m->e->ctx, SP_ERR_UNKNOWN, sp_nowhere(), NULL, "%s", why);
  }
  return o;
}

double spi_opaque_cost(const spi_opaque *o) {
  double cost = (double)o->n_out;
  for (uint32_t k = 0; k < o->n_slices; k++) {
    double n = (double)o->slices[k].n;
    cost += n * (o->slices[k].tape ? o->slices[k].tape->cost : 1) +
            20 * n * log2(n + 2);
  }
  return cost * (double)o->n_choices;
}

/* ---- running ---- */

/* Values of a slice, the rank and the indices given. */
static void fill_slice(sp_machine *m, uint32_t node, const spi_slice *s,
                       const int64_t *uniform, uint32_t n_uniform,
                       spi_lane *out) {
  spi_engine *e = m->e;
  if (!s->tape) {
    return;
  }
  spi_tape_state *state = e->stores->states[0];
  sp_mark mark = sp_scratch_mark(e->ctx);
  spi_source *sources =
      sp_scratch(e->ctx, (s->tape->n_sources + 1) * sizeof *sources);
  spi_sources(m, node, s->tape, sources);
  spi_tape_start(s->tape, state, sources, n_uniform, uniform);
  for (int64_t at = 0; at < s->n; at += SPI_LANES) {
    int64_t left = s->n - at;
    uint32_t n = (uint32_t)(left < SPI_LANES ? left : SPI_LANES);
    spi_tape_run(s->tape, state, n_uniform, s->extents, at, n);
    memcpy(out + at, state->reg[s->tape->outs[0]], n * sizeof *out);
  }
  sp_scratch_release(e->ctx, mark);
}

/* The next choice of the dimensions in (or out of) the positions. */
static void next_choice(const sp_shape *s, const bool *position, bool which,
                        int64_t *idx) {
  for (uint32_t d = s->n_dims; d-- > 0;) {
    if (position[d] == which) {
      if (++idx[d] < s->dims[d]) {
        return;
      }
      idx[d] = 0;
    }
  }
}

static int64_t flat_of(const sp_shape *s, const int64_t *idx) {
  int64_t at = 0;
  for (uint32_t d = 0; d < s->n_dims; d++) {
    at = at * s->dims[d] + idx[d];
  }
  return at;
}

void spi_opaque_run(sp_machine *m, uint32_t tensor, const spi_opaque *o,
                    void *out) {
  spi_engine *e = m->e;
  const sp_tensor *t = &m->program->tensors[tensor];
  const sp_shape *shape = &t->shape;
  sp_mark mark = sp_scratch_mark(e->ctx);
  spi_lane **v = sp_scratch(e->ctx, (o->n_slices + 1u) * sizeof *v);
  spi_lane *r = sp_scratch(e->ctx, ((size_t)o->n_out + 1) * sizeof *r);
  for (uint32_t k = 0; k < o->n_slices; k++) {
    v[k] = sp_scratch(e->ctx, ((size_t)o->slices[k].n + 1) * sizeof **v);
    if (o->slices[k].tape) {
      spi_states_for(e, o->slices[k].tape);
    }
  }
  spi_scalars_start(o->region);
  for (int64_t rank = 0; rank < e->ranks; rank++) {
    int64_t uniform[SP_MAX_DIMS + 1] = {rank};
    int64_t *idx = uniform + 1;
    for (int64_t c = 0; c < o->n_choices; c++) {
      for (uint32_t k = 0; k < o->n_slices; k++) {
        fill_slice(m, t->node, &o->slices[k], uniform, 1 + shape->n_dims, v[k]);
      }
      o->f->run(e->ctx, o, v, r);
      for (int64_t i = 0; i < o->n_out; i++) {
        spi_store(m, m->tensors[tensor].compiled, out,
                  rank * m->tensors[tensor].n + flat_of(shape, idx), 1, &r[i]);
        next_choice(shape, o->position, true, idx);
      }
      next_choice(shape, o->position, false, idx);
    }
  }
  sp_scratch_release(e->ctx, mark);
}
