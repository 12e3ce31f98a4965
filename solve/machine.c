/* machine.c: what to compute, in which order, and when to forget it. Read
 * run_needed. */
#include "solve/machine.h"
#include "solve/span.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- making ---- */

static void add_tensor(sp_machine *m, uint32_t tensor) {
  spi_engine *e = m->e;
  const sp_tensor *x = &m->program->tensors[tensor];
  machine_tensor *t = &m->tensors[tensor];
  uint32_t n = x->shape.n_dims;
  t->no_type = x->shape.dtype == SP_DTYPE_INVALID;
  t->n = t->no_type ? 0 : sp_shape_elements(&x->shape);
  t->ranks = (sp_span){.n = e->ranks};
  t->sort = sp_dtype_sort(x->shape.dtype);
  int64_t *extents = sp_alloc_n(e->ctx, n + 1u, sizeof *extents);
  extents[0] = e->ranks;
  for (uint32_t d = 0; d < n && !t->no_type; d++) {
    extents[d + 1] = x->shape.dims[d];
  }
  t->sym =
      sp_sym_new(e->pool, x->name, t->sort, t->no_type ? 1 : n + 1, extents);
}

/* Nodes that depend on no parameter. */
static void find_lasting(sp_machine *m) {
  const sp_program *p = m->program;
  for (uint32_t i = 0; i < p->n_params; i++) {
    m->nodes[p->tensors[p->params[i]].node].param = true;
  }
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const sp_node *node = &p->nodes[i];
    bool lasting = !m->nodes[i].param;
    for (uint32_t k = 0; k < node->n_in; k++) {
      lasting = lasting && m->tensors[node->in[k]].lasting;
    }
    for (uint32_t k = 0; k < node->n_out; k++) {
      m->tensors[node->out + k].lasting = lasting;
    }
  }
}

static sp_machine *new_machine(spi_engine *e, const sp_program *program) {
  sp_machine *m = sp_alloc(e->ctx, sizeof *m);
  m->e = e;
  m->program = program;
  m->tensors = sp_alloc_n(e->ctx, program->n_tensors + 1u, sizeof *m->tensors);
  m->nodes = sp_alloc_n(e->ctx, program->n_nodes + 1u, sizeof *m->nodes);
  for (uint32_t t = 0; t < program->n_tensors; t++) {
    add_tensor(m, t);
  }
  find_lasting(m);
  return m;
}

sp_machine *spi_machine_inner(spi_engine *e, const sp_program *program) {
  sp_machine *m = new_machine(e, program);
  m->inner = true;
  return m;
}

static spi_stores *new_stores(const spi_engine *e) {
  spi_stores *x = sp_alloc(e->ctx, sizeof *x);
  x->n_states = e->options.threads;
  x->states = sp_alloc_n(e->ctx, x->n_states, sizeof(spi_tape_state *));
  return x;
}

sp_machine *sp_machine_new(sp_ctx *ctx, sp_pool *p, const sp_program *program,
                           const sp_machine_options *options) {
  spi_engine *e = sp_alloc(ctx, sizeof *e);
  e->ctx = ctx;
  e->pool = p;
  e->options = options ? *options : (sp_machine_options){0};
  if (e->options.budget_ops <= 0) {
    e->options.budget_ops = SP_RUN_OPS;
  }
  if (e->options.budget_bytes == 0) {
    e->options.budget_bytes = SP_RUN_BYTES;
  }
  if (e->options.threads == 0) {
    e->options.threads = 2;
  }
  if (e->options.threads > 64) {
    e->options.threads = 64;
  }
  bool many = program->partitions > 1 && !e->options.sequential;
  e->ranks = many ? program->partitions : 1;
  e->rank =
      e->ranks > 1 ? sp_var(p, SP_VAR_RANK, "rank", e->ranks) : sp_int(p, 0);
  e->stores = e->options.beside ? e->options.beside->e->stores : new_stores(e);
  e->options.threads = e->stores->n_states;
  return new_machine(e, program);
}

const sp_program *sp_machine_program(const sp_machine *m) {
  return m->program;
}

int64_t sp_machine_ranks(const sp_machine *m) {
  return m->e->ranks;
}

double sp_machine_done(const sp_machine *m) {
  return m->e->done;
}

const sp_machine_trouble *sp_machine_problem(const sp_machine *m) {
  return &m->e->trouble;
}

const char *sp_machine_made_up(const sp_machine *m) {
  return m->e->made_up;
}

const char *sp_machine_drawn(const sp_machine *m) {
  return m->e->drawn;
}

bool spi_fail(sp_machine *m, sp_machine_outcome outcome, uint32_t node,
              const char *hint, const char *fmt, ...) {
  char text[700];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  m->e->trouble = (sp_machine_trouble){.outcome = outcome,
                                       .node = node,
                                       .message = sp_strdup(m->e->ctx, text),
                                       .hint = hint ? hint : ""};
  return false;
}

/* ---- forgetting ---- */

static void forget(sp_machine *m, uint32_t tensor) {
  machine_tensor *t = &m->tensors[tensor];
  spi_buffer_drop(m->e, t->values);
  t->values = NULL;
  t->given = false;
  t->converted = false;
}

void spi_machine_clear(sp_machine *m) {
  for (uint32_t t = 0; t < m->program->n_tensors; t++) {
    if (!m->tensors[t].lasting || m->tensors[t].given) {
      forget(m, t);
    }
  }
}

static void let_go(sp_machine *m) {
  for (uint32_t t = 0; t < m->program->n_tensors; t++) {
    spi_buffer_drop(m->e, m->tensors[t].held);
    m->tensors[t].held = NULL;
  }
}

void sp_machine_hold(sp_machine *m) {
  let_go(m);
  for (uint32_t t = 0; t < m->program->n_tensors; t++) {
    machine_tensor *x = &m->tensors[t];
    if (x->given) {
      x->held = x->values;
      x->held->users++;
    }
  }
}

static void give(sp_machine *m, uint32_t tensor, spi_buffer *values) {
  values->users++;
  forget(m, tensor);
  m->tensors[tensor].values = values;
  m->tensors[tensor].given = true;
}

void sp_machine_again(sp_machine *m) {
  spi_machine_clear(m);
  m->e->done = 0;
  for (uint32_t t = 0; t < m->program->n_tensors; t++) {
    if (m->tensors[t].held) {
      give(m, t, m->tensors[t].held);
    }
  }
}

void sp_machine_share(sp_machine *m, uint32_t tensor, const sp_machine *from,
                      uint32_t of) {
  assert(m->e->stores == from->e->stores);
  assert(m->tensors[tensor].n == from->tensors[of].n);
  give(m, tensor, from->tensors[of].values);
}

void sp_machine_empty(sp_machine *m) {
  let_go(m);
  for (uint32_t t = 0; t < m->program->n_tensors; t++) {
    forget(m, t);
  }
}

void sp_machine_reset(sp_machine *m) {
  let_go(m);
  spi_machine_clear(m);
  m->e->done = 0;
  m->e->refused = (sp_machine_trouble){0};
}

void sp_machine_noise(sp_machine *m, double share, uint64_t seed) {
  m->e->noise = share;
  m->e->noise_seed = seed;
}

/* ---- planning ---- */

/* In scratch memory. */
typedef struct plan {
  uint32_t n, *nodes; /* needed, in program order */
  double cost;
  uint32_t unknown; /* first node without values, or UINT32_MAX */
  uint32_t missing; /* first parameter without values */
  bool loops;
} plan;

static void need(sp_machine *m, uint32_t tensor) {
  if (!m->tensors[tensor].values) {
    m->nodes[m->program->tensors[tensor].node].needed = true;
  }
}

static plan plan_for(sp_machine *m, uint32_t n, const uint32_t *targets) {
  const sp_program *p = m->program;
  plan r = {.unknown = UINT32_MAX, .missing = UINT32_MAX};
  r.nodes = sp_scratch(m->e->ctx, (p->n_nodes + 1) * sizeof *r.nodes);
  uint32_t from = p->n_nodes; /* found last first, so put at the end */
  for (uint32_t i = 0; i < n; i++) {
    if (targets[i] != SP_NO_TENSOR) {
      need(m, targets[i]);
    }
  }
  for (uint32_t i = p->n_nodes; i-- > 0;) {
    if (m->nodes[i].needed) {
      m->nodes[i].needed = false;
      r.nodes[--from] = i;
      for (uint32_t k = 0; k < p->nodes[i].n_in; k++) {
        need(m, p->nodes[i].in[k]);
      }
    }
  }
  for (uint32_t i = from; i < p->n_nodes; i++) {
    uint32_t node = r.nodes[i];
    if (m->nodes[node].param) {
      r.missing = r.missing == UINT32_MAX ? node : r.missing;
      continue;
    }
    spi_node_compile(m, node);
    r.nodes[r.n++] = node;
    r.cost += m->nodes[node].cost;
    r.loops = r.loops || m->nodes[node].loop;
    if (m->nodes[node].unknown && r.unknown == UINT32_MAX) {
      r.unknown = node;
    }
  }
  return r;
}

static double cost_of(sp_machine *m, uint32_t n, const uint32_t *targets) {
  sp_mark mark = sp_scratch_mark(m->e->ctx);
  double cost = plan_for(m, n, targets).cost;
  sp_scratch_release(m->e->ctx, mark);
  return cost;
}

double spi_machine_cost(sp_machine *m) {
  return cost_of(m, m->program->n_results, m->program->results);
}

double sp_machine_cost(sp_machine *m, uint32_t tensor) {
  return cost_of(m, 1, &tensor);
}

/* ---- running ---- */

static bool over_budget(sp_machine *m, uint32_t node, double cost, bool more) {
  spi_engine *e = m->e;
  double total = e->done + cost;
  const char *hint =
      sp_format(e->ctx, "--run-budget %.2g allows more operations",
                total * (more ? 10 : 1.1));
  return spi_fail(m, SP_RUN_BUDGET, node, hint,
                  "running takes %s%.2g operations, the budget is %.2g",
                  more ? "more than " : "about ", total, e->options.budget_ops);
}

/* A tensor that may be read more than once by one node counts each time. */
static void wait_for(sp_machine *m, const plan *r) {
  for (uint32_t t = 0; t < m->program->n_tensors; t++) {
    m->tensors[t].waiting = 0;
  }
  for (uint32_t i = 0; i < r->n; i++) {
    const sp_node *node = &m->program->nodes[r->nodes[i]];
    for (uint32_t k = 0; k < node->n_in; k++) {
      m->tensors[node->in[k]].waiting++;
    }
  }
}

static void release(sp_machine *m, uint32_t tensor) {
  machine_tensor *t = &m->tensors[tensor];
  if (t->waiting == 0 && !t->given && !t->keep && !(t->lasting && m->inner) &&
      !m->e->options.keep_all) {
    forget(m, tensor);
  }
}

/* May it run? */
static bool allowed(sp_machine *m, const plan *r) {
  spi_engine *e = m->e;
  e->trouble =
      (sp_machine_trouble){.node = UINT32_MAX, .message = "", .hint = ""};
  if (e->refused.outcome != SP_RUN_OK) {
    e->trouble = e->refused;
    return false;
  }
  if (r->missing != UINT32_MAX) {
    return spi_fail(m, SP_RUN_NO_INPUT, r->missing, "",
                    "no values were given for the input %s",
                    m->program->nodes[r->missing].name);
  }
  if (r->unknown != UINT32_MAX) {
    return spi_fail(m, SP_RUN_UNKNOWN, r->unknown, "", "%s",
                    m->nodes[r->unknown].unknown);
  }
  if (e->done + r->cost > e->options.budget_ops) {
    return over_budget(m, UINT32_MAX, r->cost, r->loops || m->inner);
  }
  return true;
}

static bool run_one(sp_machine *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  if (!spi_node_run(m, at)) {
    return false;
  }
  for (uint32_t k = 0; k < node->n_in; k++) {
    m->tensors[node->in[k]].waiting--;
  }
  for (uint32_t k = 0; k < node->n_in; k++) {
    release(m, node->in[k]);
  }
  for (uint32_t k = 0; k < node->n_out; k++) {
    release(m, node->out + k);
  }
  return true;
}

static bool run_needed(sp_machine *m, uint32_t n, const uint32_t *targets) {
  sp_mark mark = sp_scratch_mark(m->e->ctx);
  plan r = plan_for(m, n, targets);
  bool ok = allowed(m, &r);
  for (uint32_t i = 0; ok && i < n; i++) {
    if (targets[i] != SP_NO_TENSOR) {
      m->tensors[targets[i]].keep = true;
    }
  }
  wait_for(m, &r);
  for (uint32_t i = 0; ok && i < r.n; i++) {
    ok = run_one(m, r.nodes[i]);
  }
  sp_scratch_release(m->e->ctx, mark);
  return ok;
}

bool spi_machine_results(sp_machine *m) {
  return run_needed(m, m->program->n_results, m->program->results);
}

bool sp_machine_run(sp_machine *m) {
  return spi_machine_results(m);
}

bool sp_machine_run_to(sp_machine *m, uint32_t tensor) {
  return run_needed(m, 1, &tensor);
}

/* ---- values in and out ---- */

/* The tensor's own buffer, to be written; NULL where there is no room: then
 * nothing will run. */
static void *open_input(sp_machine *m, uint32_t tensor) {
  machine_tensor *t = &m->tensors[tensor];
  bool shared = t->given && t->values->users > 1; /* with a copy of it */
  if (!t->given || shared) {
    spi_buffer *new = spi_buffer_new(m, tensor);
    if (!new) {
      m->e->refused = m->e->trouble;
      return NULL;
    }
    if (shared) { /* other ranks keep what they have */
      memcpy(new->data, t->values->data, new->bytes);
    }
    forget(m, tensor);
    t->values = new;
    t->given = true;
  }
  t->converted = false;
  return t->values->data;
}

static void put(void *data, sp_sort sort, int64_t at, double v) {
  if (sort == SP_SORT_REAL) {
    ((double *)data)[at] = v;
  } else if (sort == SP_SORT_INT) {
    ((int64_t *)data)[at] = v >= 9.2e18    ? INT64_MAX
                            : v <= -9.2e18 ? INT64_MIN
                                           : (int64_t)v;
  } else {
    ((uint8_t *)data)[at] = v != 0;
  }
}

void sp_machine_set_input(sp_machine *m, uint32_t tensor, int64_t rank,
                          const double *values) {
  void *data = open_input(m, tensor);
  const machine_tensor *t = &m->tensors[tensor];
  for (int64_t i = 0; data && i < t->n; i++) {
    put(data, t->sort, rank * t->n + i, values[i]);
  }
}

/* On the first ranks that have values. */
static void fill(sp_machine *m, uint32_t tensor, int64_t ranks,
                 sp_machine_value_fn value, void *user) {
  void *data = open_input(m, tensor);
  const machine_tensor *t = &m->tensors[tensor];
  for (int64_t k = 0; data && k < ranks && k < t->ranks.n; k++) {
    int64_t r = spi_span_at(t->ranks, k);
    for (int64_t i = 0; i < t->n; i++) {
      int64_t idx[SP_MAX_DIMS];
      int64_t flat = sp_machine_where(m, tensor, i, idx);
      put(data, t->sort, r * t->n + i, value(user, r, flat, idx));
    }
  }
}

void sp_machine_fill_input(sp_machine *m, uint32_t tensor,
                           sp_machine_value_fn value, void *user) {
  fill(m, tensor, m->e->ranks, value, user);
}

void sp_machine_fill_same(sp_machine *m, uint32_t tensor,
                          sp_machine_value_fn value, void *user) {
  fill(m, tensor, 1, value, user);
  const machine_tensor *t = &m->tensors[tensor];
  char *data = t->values ? t->values->data : NULL;
  size_t bytes = (size_t)t->n * spi_sort_bytes(t->sort);
  for (int64_t k = 1; data && k < t->ranks.n; k++) {
    memcpy(data + (size_t)spi_span_at(t->ranks, k) * bytes,
           data + (size_t)spi_span_at(t->ranks, 0) * bytes, bytes);
  }
}

bool sp_machine_has(const sp_machine *m, uint32_t tensor) {
  return m->tensors[tensor].values != NULL;
}

int64_t sp_machine_int(const sp_machine *m, uint32_t tensor, int64_t rank,
                       int64_t flat) {
  const machine_tensor *t = &m->tensors[tensor];
  spi_lane v = spi_load(t->values->data, t->sort, rank * t->n + flat);
  return t->sort == SP_SORT_REAL ? (int64_t)v.r : v.i;
}

double sp_machine_value(const sp_machine *m, uint32_t tensor, int64_t rank,
                        int64_t flat) {
  const machine_tensor *t = &m->tensors[tensor];
  spi_lane v = spi_load(t->values->data, t->sort, rank * t->n + flat);
  return t->sort == SP_SORT_REAL ? v.r : (double)v.i;
}

const double *sp_machine_values(sp_machine *m, uint32_t tensor, int64_t rank) {
  machine_tensor *t = &m->tensors[tensor];
  if (!t->values) {
    return NULL;
  }
  if (t->sort == SP_SORT_REAL) {
    return (const double *)t->values->data + rank * t->n;
  }
  if (!t->doubles) {
    t->doubles = sp_alloc_n(m->e->ctx, (size_t)(t->n * m->e->ranks) + 1,
                            sizeof *t->doubles);
  }
  for (int64_t k = 0; !t->converted && k < t->ranks.n; k++) {
    int64_t from = spi_span_at(t->ranks, k) * t->n;
    for (int64_t i = from; i < from + t->n; i++) {
      t->doubles[i] = (double)spi_load(t->values->data, t->sort, i).i;
    }
  }
  t->converted = true;
  return t->doubles + rank * t->n;
}
