/* repair.c: read spi_find_mend, then the candidates for one constant. */
#include "solve/repair.h"

#include <string.h>

enum {
  MAX_TRIALS = 800,
  MAX_CONSTANTS = 64,
  MAX_ELEMENTS = 1024, /* tables longer than this are left alone */
  MAX_SHOWN = 8
};

typedef struct mender {
  sp_state *s;
  sp_machine *dist;
  spi_trial trial;
  void *env;
  uint32_t trials;
  uint32_t tensor; /* the constant at hand */
  int64_t n;
  const double *was;
} mender;

static bool is_constant(const sp_node *node) {
  return node->n_in == 0 && strstr(node->op, "constant");
}

/* Constants that the tensor is made from, nearest first. */
static uint32_t constants_above(sp_state *s, uint32_t wrong, uint32_t *out) {
  const sp_program *d = s->dist_program;
  bool *seen = sp_alloc_n(s->ctx, d->n_tensors + 1u, sizeof *seen);
  SP_VEC(uint32_t) queue = {0};
  uint32_t n = 0;
  sp_push(s->ctx, &queue, wrong);
  for (size_t at = 0; at < queue.n && n < MAX_CONSTANTS; at++) {
    const sp_node *node = &d->nodes[d->tensors[queue.v[at]].node];
    if (is_constant(node)) {
      out[n++] = queue.v[at];
    }
    for (uint32_t i = 0; i < node->n_in; i++) {
      uint32_t u = node->in[i];
      if (!seen[u]) {
        seen[u] = true;
        sp_push(s->ctx, &queue, u);
      }
    }
  }
  return n;
}

static bool mends(mender *m, const double *values) {
  bool same = true;
  for (int64_t i = 0; i < m->n && same; i++) {
    same = values[i] == m->was[i];
  }
  return !same && m->trials++ < MAX_TRIALS &&
         m->trial(m->env, m->tensor, values);
}

/* ---- one number ---- */

static bool try_number(mender *m, double v) {
  return mends(m, &v);
}

static bool mend_number(mender *m, double *found) {
  const sp_program *p = m->s->seq_program;
  double was = m->was[0];
  bool whole =
      !sp_dtype_is_float(m->s->dist_program->tensors[m->tensor].shape.dtype);
  double near[] = {was + 1, was - 1, was * 2, -was};
  for (size_t i = 0; whole && i < sizeof near / sizeof *near; i++) {
    if (try_number(m, *found = near[i])) {
      return true;
    }
  }
  for (uint32_t k = 0; k < p->n_nodes; k++) { /* sequential constants */
    const sp_attr *a = sp_node_attr(&p->nodes[k], "literal");
    if (!a || a->kind != SP_ATTR_LITERAL || a->u.literal->shape.n_dims != 0 ||
        sp_dtype_is_float(a->u.literal->shape.dtype) == whole) {
      continue;
    }
    *found = whole ? (double)a->u.literal->i[0] : a->u.literal->f[0];
    if (try_number(m, *found)) {
      return true;
    }
  }
  for (uint32_t t = 0; whole && t < p->n_params; t++) { /* sizes */
    const sp_shape *shape = &p->tensors[p->params[t]].shape;
    for (uint32_t d = 0; d < shape->n_dims; d++) {
      double size = (double)shape->dims[d];
      if (try_number(m, *found = size)) {
        return true;
      }
      for (size_t i = 0; i < m->s->cuts.n; i++) { /* blocks */
        *found = (double)(shape->dims[d] / m->s->cuts.v[i].n);
        if (try_number(m, *found)) {
          return true;
        }
      }
    }
  }
  for (size_t i = 0; i < m->s->cuts.n; i++) {
    double n = (double)m->s->cuts.v[i].n;
    if (try_number(m, *found = was * n) ||
        (!(whole && (int64_t)was % m->s->cuts.v[i].n) &&
         try_number(m, *found = was / n))) {
      return true;
    }
  }
  return false;
}

/* ---- a table ---- */

static int64_t rank_value(void *user, sp_expr v) {
  (void)v;
  return *(int64_t *)user;
}

static sp_value no_read(void *user, sp_sym sym, uint32_t n,
                        const int64_t *idx) {
  (void)user;
  (void)sym;
  (void)n;
  (void)idx;
  return (sp_value){.sort = SP_SORT_INT};
}

/* stride * coordinate, over all ranks or over the coordinate's own values. */
static bool try_coordinate(mender *m, const spi_cut *cut, double stride,
                           double *v) {
  for (int64_t i = 0; i < m->n; i++) {
    double c = (double)i;
    if (m->n == m->s->dist_program->partitions) {
      sp_eval_env env = {
          .user = &i, .var = rank_value, .read = no_read, .budget = 10000};
      sp_value x;
      if (!sp_eval(m->s->pool, cut->coordinate, &env, &x)) {
        return false;
      }
      c = (double)x.i;
    } else if (m->n != cut->n) {
      return false;
    }
    v[i] = stride * c;
  }
  return mends(m, v);
}

static bool mend_table(mender *m, double *v) {
  const sp_program *p = m->s->seq_program;
  for (size_t i = 0; i < m->s->cuts.n; i++) {
    const spi_cut *cut = &m->s->cuts.v[i];
    if (try_coordinate(m, cut, 1, v)) {
      return true;
    }
    for (uint32_t t = 0; t < p->n_params; t++) { /* blocks of dimensions */
      const sp_shape *shape = &p->tensors[p->params[t]].shape;
      for (uint32_t d = 0; d < shape->n_dims; d++) {
        int64_t block = (shape->dims[d] + cut->n - 1) / cut->n;
        if (block > 1 && try_coordinate(m, cut, (double)block, v)) {
          return true;
        }
      }
    }
  }
  for (int64_t shift = 1; shift < m->n && m->n <= 16; shift++) {
    for (int64_t i = 0; i < m->n; i++) {
      v[i] = m->was[(i + shift) % m->n];
    }
    if (mends(m, v)) {
      return true;
    }
  }
  return false;
}

static const char *values_text(sp_ctx *ctx, const double *v, int64_t n) {
  sp_str text = {0};
  for (int64_t i = 0; i < n && i < MAX_SHOWN; i++) {
    sp_str_addf(ctx, &text, "%s%g", i ? ", " : "", v[i]);
  }
  if (n > MAX_SHOWN) {
    sp_str_add(ctx, &text, ", ...");
  }
  return n == 1 ? text.v : sp_format(ctx, "{%s}", text.v ? text.v : "");
}

bool spi_find_mend(sp_state *s, uint32_t wrong, sp_machine *dist,
                   spi_trial trial, void *env, spi_mend *out) {
  mender m = {.s = s, .dist = dist, .trial = trial, .env = env};
  uint32_t constant[MAX_CONSTANTS];
  uint32_t n = constants_above(s, wrong, constant);
  for (uint32_t i = 0; i < n; i++) {
    m.tensor = constant[i];
    m.n = sp_shape_elements(&s->dist_program->tensors[m.tensor].shape);
    const double *values = m.n >= 1 && m.n <= MAX_ELEMENTS
                               ? sp_machine_values(dist, m.tensor, 0)
                               : NULL;
    if (!values) {
      continue;
    }
    double *was = sp_alloc_n(s->ctx, (size_t)m.n, sizeof *was);
    double *becomes = sp_alloc_n(s->ctx, (size_t)m.n, sizeof *becomes);
    memcpy(was, values, (size_t)m.n * sizeof *was);
    m.was = was;
    if (m.n == 1 ? mend_number(&m, becomes) : mend_table(&m, becomes)) {
      out->tensor = m.tensor;
      out->was = values_text(s->ctx, was, m.n);
      out->becomes = values_text(s->ctx, becomes, m.n);
      return true;
    }
    if (m.trials >= MAX_TRIALS) {
      break;
    }
  }
  return false;
}
