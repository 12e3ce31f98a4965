/* repair.c: read spi_find_mend, then spi_offer. */
#include "solve/repair.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "solve/mender.h"

/* Of a sampled bench a trial is planned and compiled anew. */
enum { MAX_TRIALS = 3000, MAX_SAMPLED = 60, MAX_AGAIN = 6 };
/* Of the budget of one run: trials are what makes the report useful. */
static const double REPAIR_SHARE = 4;
static const double TRIAL_SHARE = 8, TRIAL_LEAST = 1e6;
/* sets of inputs on which a change is tried; of results with few elements that
 * are no reals */
enum { SETS = 2, FEW = 32, MANY_SETS = 8 };
static const size_t MAX_BYTES = (size_t)1 << 30; /* terms made by trials */

bool spi_is_op(const sp_node *node, const char *hlo) {
  return strncmp(node->op, "hlo:", 4) == 0 && strcmp(node->op + 4, hlo) == 0;
}

/* ---- one change ---- */

typedef struct trial {
  spi_mender *m;
  spi_edit edit;           /* of the whole program */
  const sp_program *alone; /* the edited node */
  const sp_program *whole; /* or the edited program */
  spi_scaling scaling;
  sp_machine *machine; /* that runs it alone */
  bool mends, changes;
} trial;

/* The values on all ranks of tensor t of the last run. */
static double *values_of(spi_mender *m, sp_machine *machine, uint32_t t,
                         int64_t n, double factor) {
  int64_t ranks = m->s->dist_program->partitions;
  double *v = sp_scratch(m->s->ctx, ((size_t)(ranks * n) + 1) * sizeof *v);
  for (int64_t r = 0; r < ranks; r++) {
    const double *from = sp_machine_values(machine, t, r);
    for (int64_t i = 0; i < n; i++) {
      v[r * n + i] = factor == 1 ? from[i] : factor * from[i];
    }
  }
  return v;
}

static int64_t elements(const sp_program *p, uint32_t t) {
  return sp_shape_elements(&p->tensors[t].shape);
}

static bool differs_from_run(spi_mender *m, uint32_t t, const double *v) {
  int64_t n = elements(m->s->dist_program, t);
  for (int64_t r = 0; r < m->s->dist_program->partitions; r++) {
    const double *was = sp_machine_values(m->b->dist, t, r);
    if (was && memcmp(was, v + r * n, (size_t)n * sizeof *v) != 0) {
      return true;
    }
  }
  return false;
}

/* Zeros in the values of n elements on all ranks, where a mask says so. */
static void mask(spi_mender *m, spi_scaling scaling, int64_t n, double *v) {
  uint32_t t = scaling.masked - 1;
  int64_t blocks = elements(m->s->dist_program, t);
  for (int64_t r = 0; r < m->s->dist_program->partitions; r++) {
    const double *on = sp_machine_values(m->b->dist, t, r);
    for (int64_t i = 0; i < n; i++) {
      if ((on[i / (n / blocks)] != 0) != scaling.where_off) {
        v[r * n + i] = 0;
      }
    }
  }
}

/* Compute the changed node on the operands of the bench's run, then the rest
 * of the program from that; or the whole changed program. */
static void run_trial(sp_ctx *ctx, void *arg) {
  trial *x = arg;
  spi_mender *m = x->m;
  if (x->whole) {
    x->mends = x->changes = spi_bench_mends_with(m->b, x->whole);
    return;
  }
  const sp_program *p = x->alone, *d = m->s->dist_program;
  const sp_node *node = x->edit.becomes;
  sp_mark mark = sp_scratch_mark(ctx);
  /* A change may make a loop endless: no trial takes much longer than what
   * it changes, so that all get their turn. */
  double enough = TRIAL_SHARE * sp_machine_done(m->b->dist) + TRIAL_LEAST;
  sp_machine_options options = {
      .budget_ops = m->b->budget < enough ? m->b->budget : enough,
      .raw = true,
      .beside = m->b->dist,
      .made_up = m->b->made_up};
  sp_machine *machine = sp_machine_new(ctx, m->s->pool, p, &options);
  x->machine = machine;
  for (uint32_t k = 0; k < p->n_params; k++) {
    int64_t n = elements(p, p->params[k]);
    if (x->scaling.scaled != k + 1) {
      sp_machine_share(machine, k, m->b->dist, node->in[k]);
      continue;
    }
    const double *v =
        values_of(m, m->b->dist, node->in[k], n, x->scaling.factor);
    for (int64_t r = 0; r < d->partitions; r++) {
      sp_machine_set_input(machine, k, r, v + r * n);
    }
  }
  bool ok = sp_machine_run(machine);
  m->b->budget -= sp_machine_done(machine) + 1000;
  spi_override *v = sp_scratch(ctx, (p->n_results + 1) * sizeof *v);
  for (uint32_t k = 0; ok && k < p->n_results; k++) {
    double factor = x->scaling.scale != 0 ? x->scaling.scale : 1;
    v[k].tensor = node->out + k;
    int64_t n = elements(p, p->results[k]);
    double *values = values_of(m, machine, p->results[k], n, factor);
    if (x->scaling.masked && n > 0) {
      mask(m, x->scaling, n, values);
    }
    v[k].values = values;
    x->changes = x->changes || differs_from_run(m, node->out + k, v[k].values);
  }
  x->mends = ok && x->changes && spi_bench_mends(m->b, p->n_results, v);
  sp_scratch_release(ctx, mark);
}

/* A change may be malformed (shapes that do not fit): then it is none. */
static bool try(trial *x) {
  sp_pool *p = x->m->s->pool;
  sp_mode mode = sp_pool_mode(p, SP_MODE_NORMAL);
  x->mends = x->changes = false;
  x->machine = NULL;
  bool ok = sp_protect(x->m->s->ctx, run_trial, x) == SP_OK;
  if (x->machine) {
    sp_machine_empty(x->machine);
  }
  sp_pool_mode(p, mode);
  return ok && x->mends;
}

/* How many other sets of inputs tell whether a change is right: what the result
 * holds may come about in another way, the more easily the less it is. */
static uint64_t sets_to_ask(const spi_mender *m) {
  const sp_shape *s = &m->s->dist_program->tensors[m->result].shape;
  bool few = !sp_dtype_is_float(s->dtype) && sp_shape_elements(s) <= FEW;
  return few ? MANY_SETS : SETS;
}

/* Also on other inputs, two of which show the fault (of a branch that is seldom
 * taken few do)? Where the program as it is is right, it has to stay so. The
 * bench's run comes back afterwards. */
static bool mends_again(trial *x) {
  spi_bench *b = x->m->b;
  spi_draw_mode mode = b->mode;
  uint64_t seed = b->seed;
  const char *why;
  sp_counterexample c;
  bool ok = true;
  int compared = 0;
  double spent = b->spent;
  uint64_t sets = sets_to_ask(x->m);
  for (uint64_t i = 1; ok && (i <= sets || (i <= MAX_AGAIN && compared < 2));
       i++) {
    if (spi_bench_run(b, mode, seed + 100 * i, &why)) {
      bool wrong = spi_bench_differs(b, &c);
      ok = try(x) || (!wrong && !x->changes);
      compared += wrong;
    }
  }
  ok = spi_bench_run(b, mode, seed, &why) && ok && compared > 0;
  b->budget -= b->spent - spent;
  return ok;
}

/* May another change be tried? */
static bool go_on(spi_mender *m) {
  uint32_t most = m->b->sample ? MAX_SAMPLED : MAX_TRIALS;
  return m->trials++ < most && m->b->budget > 0 &&
         sp_ctx_bytes(m->s->ctx) - m->bytes <= MAX_BYTES;
}

static bool offer(spi_mender *m, const spi_edit *edit, spi_scaling scaling) {
  if (!go_on(m)) {
    return false;
  }
  sp_ctx *ctx = m->s->ctx;
  trial x = {.m = m, .edit = *edit, .scaling = scaling};
  if (m->loop != UINT32_MAX) {
    const sp_program *body = spi_edit_program(ctx, m->program, edit);
    const sp_node *loop = &m->s->dist_program->nodes[m->loop];
    sp_attr region = {.kind = SP_ATTR_REGION, .u.region = body};
    x.edit = (spi_edit){.node = m->loop,
                        .becomes = spi_edit_attr(ctx, loop, "body", region)};
  }
  if (m->b->sample &&
      (scaling.scale != 0 || scaling.scaled || scaling.masked)) {
    return false;
  }
  if (m->b->sample) {
    x.whole = spi_edit_program(ctx, m->s->dist_program, &x.edit);
  } else {
    x.alone = spi_edit_alone(ctx, m->s->dist_program, &x.edit);
  }
  return try(&x) && mends_again(&x);
}

static bool accept(spi_mender *m, const spi_edit *edit, const char *text) {
  sp_ctx *ctx = m->s->ctx;
  int64_t step =
      m->loop == UINT32_MAX
          ? -1
          : spi_first_step(m, spi_edit_program(ctx, m->program, edit));
  m->mend = (spi_mend){
      .program = m->program, .node = edit->node, .text = sp_strdup(ctx, text)};
  if (step >= 0) {
    m->mend.text =
        sp_format(ctx, "%s (it shows first in step %lld of %s)", text,
                  (long long)step, m->s->dist_program->nodes[m->loop].name);
  }
  return true;
}

bool spi_offer(spi_mender *m, const spi_edit *edit, const char *fmt, ...) {
  if (!offer(m, edit, (spi_scaling){0})) {
    return false;
  }
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return accept(m, edit, text);
}

bool spi_offer_all(spi_mender *m, uint32_t n, const spi_edit *edits,
                   const char *fmt, ...) {
  trial x = {.m = m, .whole = m->s->dist_program};
  for (uint32_t i = 0; i < n; i++) {
    x.whole = spi_edit_program(m->s->ctx, x.whole, &edits[i]);
  }
  if (m->loop != UINT32_MAX || !go_on(m) || !try(&x) || !mends_again(&x)) {
    return false;
  }
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return accept(m, &edits[0], text);
}

bool spi_offer_scaled(spi_mender *m, const spi_edit *edit, spi_scaling scaling,
                      const char *fmt, ...) {
  if (m->loop != UINT32_MAX || !offer(m, edit, scaling)) {
    return false;
  }
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  return accept(m, edit, text);
}

/* ---- which nodes ---- */

typedef SP_VEC(uint32_t) node_list;

/* Nodes that the tensor is made from, nearest first, not beyond tensors that
 * were proved to be a sequential one unless `all`. */
static void nodes_above(spi_mender *m, uint32_t tensor, bool all, bool *seen,
                        node_list *out) {
  const sp_program *p = m->program;
  bool *met = sp_alloc_n(m->s->ctx, p->n_nodes + 1u, sizeof *met);
  node_list queue = {0};
  sp_push(m->s->ctx, &queue, p->tensors[tensor].node);
  met[p->tensors[tensor].node] = true;
  for (size_t at = 0; at < queue.n; at++) {
    uint32_t n = queue.v[at];
    const sp_node *node = &p->nodes[n];
    if (!seen[n]) {
      seen[n] = true;
      sp_push(m->s->ctx, out, n);
    }
    for (uint32_t i = 0; i < node->n_in; i++) {
      uint32_t u = node->in[i], next = p->tensors[u].node;
      bool right = m->known && m->known[u].seq;
      if (!met[next] && (all || !right)) {
        met[next] = true;
        sp_push(m->s->ctx, &queue, next);
      }
    }
  }
}

/* The values of some result are those of no sequential tensor. */
static bool is_odd(spi_mender *m, spi_fitter *fit, uint32_t n) {
  const sp_node *node = &m->program->nodes[n];
  for (uint32_t k = 0; k < node->n_out; k++) {
    if (spi_fit_of(fit, node->out + k).kind != SPI_FIT_WHOLE) {
      return true;
    }
  }
  return node->n_in == 0;
}

/* A program's nodes: odd ones near the wrong tensor, the others near it, and
 * the rest above the wrong result. */
enum { ODD, NEAR, FAR, DISTANCES };

typedef struct place {
  const sp_program *program;
  const dist_tensor *known;
  uint32_t loop;
  node_list nodes[DISTANCES];
} place;

static void enter(spi_mender *m, const place *x) {
  m->program = x->program;
  m->known = x->known;
  m->loop = x->loop;
}

static void find_nodes(spi_mender *m, spi_fitter *fit, uint32_t wrong,
                       uint32_t result, place *x) {
  enter(m, x);
  bool *seen = sp_alloc_n(m->s->ctx, m->program->n_nodes + 1u, sizeof *seen);
  node_list near = {0};
  nodes_above(m, wrong, false, seen, &near);
  nodes_above(m, result, false, seen, &near);
  for (size_t i = 0; i < near.n; i++) {
    int to = is_odd(m, fit, near.v[i]) ? ODD : NEAR;
    sp_push(m->s->ctx, &x->nodes[to], near.v[i]);
  }
  nodes_above(m, result, true, seen, &x->nodes[FAR]);
}

static sp_state *state_of_body(spi_mender *m, const sp_program *body) {
  for (size_t i = 0; i < m->s->kept.n; i++) {
    if (m->s->kept.v[i].state->dist_program == body) {
      return m->s->kept.v[i].state;
    }
  }
  return NULL;
}

static void find_body_nodes(spi_mender *m, const sp_program *body,
                            uint32_t loop, place *x) {
  sp_state *state = state_of_body(m, body);
  *x = (place){
      .program = body, .known = state ? state->dist : NULL, .loop = loop};
  enter(m, x);
  bool *seen = sp_alloc_n(m->s->ctx, body->n_nodes + 1u, sizeof *seen);
  for (uint32_t k = 0; k < body->n_results; k++) {
    nodes_above(m, body->results[k], false, seen, &x->nodes[ODD]);
  }
  for (uint32_t k = 0; k < body->n_results; k++) {
    nodes_above(m, body->results[k], true, seen, &x->nodes[FAR]);
  }
}

/* ---- in which order ---- */

typedef bool (*try_fn)(spi_mender *m, uint32_t node);

/* Collectives are few, and first to be blamed wherever they are. Then come
 * changes as small as a slip of the pen, wherever they are, then all others. A
 * change in a loop costs a run of the loop: likely ones come first. */
enum { COLLECTIVES, SLIPS, OTHERS, STAGES };

static const try_fn collective_kinds[] = {spi_try_collective, NULL};
static const try_fn slip_kinds[] = {spi_try_next, spi_try_swapped, NULL};
static const try_fn kinds[] = {spi_try_constant, spi_try_node,
                               spi_try_fx,       spi_try_edge_number,
                               spi_try_edge,     spi_try_missing,
                               spi_try_scale,    spi_try_sending,
                               spi_try_mask,     NULL};
static const try_fn sampled_kinds[] = {spi_try_slice, spi_try_missing_sum,
                                       spi_try_fx,    spi_try_swapped,
                                       spi_try_node,  NULL};
static const try_fn loop_kinds[] = {
    spi_try_missing_sum, spi_try_position, spi_try_swapped, spi_try_node,
    spi_try_next,        spi_try_constant, spi_try_missing, NULL};
static const try_fn none[] = {NULL};

static const try_fn *kinds_of(const spi_mender *m, const place *x, int stage) {
  bool plain = !m->b->sample && x->loop == UINT32_MAX;
  return stage == COLLECTIVES ? collective_kinds
         : stage == SLIPS     ? (plain ? slip_kinds : none)
         : m->b->sample       ? sampled_kinds
         : plain              ? kinds
                              : loop_kinds;
}

static bool try_nodes(spi_mender *m, const place *x, int distance, int stage) {
  const node_list *nodes = &x->nodes[distance];
  const try_fn *list = kinds_of(m, x, stage);
  enter(m, x);
  for (size_t k = 0; list[k]; k++) {
    for (size_t i = 0; i < nodes->n; i++) {
      if (list[k](m, nodes->v[i])) {
        return true;
      }
    }
  }
  return false;
}

typedef SP_VEC(place) place_list;

/* The program itself, then the bodies of its loops above the result. */
static place_list find_places(spi_mender *m, spi_fitter *fit, uint32_t wrong,
                              uint32_t result) {
  const sp_program *d = m->s->dist_program;
  place_list places = {0};
  place x = {.program = d, .known = m->s->dist, .loop = UINT32_MAX};
  find_nodes(m, fit, wrong, result, &x);
  sp_push(m->s->ctx, &places, x);
  for (int distance = 0; distance < DISTANCES; distance++) {
    for (size_t i = 0; i < x.nodes[distance].n; i++) {
      uint32_t n = x.nodes[distance].v[i];
      const sp_attr *a = sp_node_attr(&d->nodes[n], "body");
      if (spi_is_op(&d->nodes[n], "while") && a && a->kind == SP_ATTR_REGION) {
        place body;
        find_body_nodes(m, a->u.region, n, &body);
        sp_push(m->s->ctx, &places, body);
      }
    }
  }
  return places;
}

static bool try_places(spi_mender *m, const place_list *places, int stage) {
  for (int distance = 0; distance < DISTANCES; distance++) {
    for (size_t i = 0; i < places->n; i++) {
      if (try_nodes(m, &places->v[i], distance, stage)) {
        return true;
      }
    }
  }
  return false;
}

bool spi_find_mend(spi_bench *b, spi_fitter *fit, uint32_t wrong,
                   uint32_t result, spi_mend *out) {
  spi_mender m = {.b = b, .s = b->s, .result = result};
  double rest = b->budget;
  b->budget = REPAIR_SHARE * rest;
  m.bytes = sp_ctx_bytes(b->s->ctx);
  spi_find_groupings(&m);
  place_list places = find_places(&m, fit, wrong, result);
  bool found = false;
  for (int stage = 0; stage < STAGES && !found; stage++) {
    found = try_places(&m, &places, stage);
  }
  b->budget = rest;
  *out = m.mend;
  return found;
}
