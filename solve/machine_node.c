/* machine_node.c: computing a node's results: by tape, in blocks of lanes, on
 * several threads where that pays. */
#include "solve/machine.h"
#include "solve/span.h"

#include <string.h>
#include <threads.h>

/* Below so many operations another thread costs more than it saves. */
#define THREAD_OPS 300000.0
enum { MAX_THREADS = 64 };

const void *spi_data_of(const sp_machine *m, uint32_t node, sp_sym sym) {
  const sp_node *n = &m->program->nodes[node];
  for (uint32_t k = 0; k < n->n_in; k++) {
    const machine_tensor *in = &m->tensors[n->in[k]];
    if (in->sym.v == sym.v) {
      return in->values->data;
    }
  }
  for (uint32_t k = 0; k < n->n_out; k++) {
    const spi_compiled *c = m->tensors[n->out + k].compiled;
    for (uint32_t i = 0; c && i < c->n_helpers; i++) {
      if (c->helpers[i]->sym.v == sym.v) {
        return c->helpers[i]->values->data;
      }
    }
  }
  return NULL;
}

void spi_sources(const sp_machine *m, uint32_t node, const spi_tape *t,
                 spi_source *out) {
  for (uint32_t i = 0; i < t->n_sources; i++) {
    out[i] = t->sources[i];
    if (!out[i].data) {
      out[i].data = spi_data_of(m, node, out[i].sym);
    }
  }
}

typedef struct part {
  const sp_machine *m;
  const spi_compiled *c;
  const spi_tape *tape;
  spi_tape_state *state;
  const spi_source *sources;
  void *out;
  int64_t from, to; /* blocks of lanes, over all its ranks */
  bool outside;
  sp_sym outside_of;
} part;

static int run_part(void *arg) {
  part *x = arg;
  int64_t n = x->c->n;
  int64_t blocks = (n + SPI_LANES - 1) / SPI_LANES, rank = -1;
  for (int64_t b = x->from; b < x->to; b++) {
    if (rank < 0 || b % blocks == 0) {
      rank = spi_span_at(x->c->ranks, b / blocks);
      spi_tape_start(x->tape, x->state, x->sources, 1, &rank);
    }
    int64_t at = b % blocks * SPI_LANES;
    uint32_t lanes = (uint32_t)(n - at < SPI_LANES ? n - at : SPI_LANES);
    spi_tape_run(x->tape, x->state, 1, x->c->shape.dims, at, lanes);
    spi_store(x->m, x->c, x->out, rank * n + at, lanes,
              x->state->reg[x->tape->outs[0]]);
    if (x->state->outside && !x->outside) {
      x->outside = true;
      x->outside_of = x->state->outside_of;
    }
  }
  return 0;
}

/* False: an unguarded read was outside of *of. */
static bool run_tape(sp_machine *m, uint32_t node, const spi_compiled *c,
                     void *out, sp_sym *of) {
  spi_engine *e = m->e;
  const spi_tape *tape = c->tape;
  int64_t n = c->n;
  int64_t blocks = (n + SPI_LANES - 1) / SPI_LANES * c->ranks.n;
  double cost = tape->cost * (double)n * (double)c->ranks.n;
  unsigned parts = cost < THREAD_OPS ? 1 : e->options.threads;
  if (blocks < parts) {
    parts = (unsigned)blocks;
  }
  spi_states_for(e, tape);
  sp_mark mark = sp_scratch_mark(e->ctx);
  spi_source *sources =
      sp_scratch(e->ctx, (tape->n_sources + 1) * sizeof *sources);
  spi_sources(m, node, tape, sources);
  part v[MAX_THREADS];
  thrd_t threads[MAX_THREADS];
  bool started[MAX_THREADS] = {false};
  for (unsigned i = 0; i < parts; i++) {
    v[i] = (part){.m = m,
                  .c = c,
                  .tape = tape,
                  .state = e->stores->states[i],
                  .sources = sources,
                  .out = out,
                  .from = blocks * (int64_t)i / (int64_t)parts,
                  .to = blocks * (int64_t)(i + 1) / (int64_t)parts};
    started[i] =
        i > 0 && thrd_create(&threads[i], run_part, &v[i]) == thrd_success;
  }
  bool outside = false;
  for (unsigned i = 0; i < parts; i++) {
    if (started[i]) {
      thrd_join(threads[i], NULL);
    } else {
      run_part(&v[i]);
    }
    if (v[i].outside) {
      outside = true;
      *of = v[i].outside_of;
    }
  }
  sp_scratch_release(e->ctx, mark);
  return !outside;
}

static bool run_array(sp_machine *m, uint32_t node, const spi_compiled *c,
                      void *out, sp_sym *of) {
  if (c->contraction) {
    spi_contract(m, node, c, out);
    return true;
  }
  return run_tape(m, node, c, out, of);
}

/* What a helper reads may be guarded in the term that uses it: reads outside
 * are no mistake there, but seen. */
static bool run_helpers(sp_machine *m, uint32_t node, const spi_compiled *c,
                        bool *outside) {
  for (uint32_t i = 0; i < c->n_helpers; i++) {
    spi_compiled *h = c->helpers[i];
    sp_sym of;
    h->values =
        spi_buffer_for(m, node, m->program->nodes[node].name, h->sort, h->n);
    if (!h->values) {
      return false;
    }
    *outside = !run_array(m, node, h, h->values->data, &of) || *outside;
  }
  return true;
}

static void drop_helpers(sp_machine *m, const spi_compiled *c) {
  for (uint32_t i = 0; i < c->n_helpers; i++) {
    spi_buffer_drop(m->e, c->helpers[i]->values);
    c->helpers[i]->values = NULL;
  }
}

static bool run_shared(sp_machine *m, uint32_t node, spi_compiled *c,
                       void *out) {
  sp_sym of = {0};
  bool outside = false;
  bool ok = run_helpers(m, node, c, &outside);
  /* not in parts, whose cost is that of what is shared */
  bool plain = outside && m->e->options.raw && !m->selection;
  bool inside =
      !ok || run_array(m, node, plain ? spi_as_written(m, c) : c, out, &of);
  drop_helpers(m, c);
  if (!inside) {
    return spi_fail(m, SP_RUN_UNDEFINED, node,
                    "give the range of the indices that are inputs",
                    "%s reads outside of %s on these inputs",
                    m->program->nodes[node].name, sp_sym_name(m->e->pool, of));
  }
  return ok;
}

/* Is what the operator's meaning assumes true? */
static bool promise_kept(sp_machine *m, uint32_t node, const spi_compiled *c) {
  const char *name = m->program->nodes[node].name;
  spi_buffer *b = spi_buffer_for(m, node, name, c->sort, c->n);
  if (!b) {
    return false;
  }
  const uint8_t *holds = b->data;
  sp_sym of;
  bool kept = true;
  run_tape(m, node, c, b->data, &of); /* reads are looked at with the values */
  for (int64_t k = 0; kept && k < c->ranks.n; k++) {
    const uint8_t *own = holds + spi_span_at(c->ranks, k) * c->n;
    kept = !memchr(own, 0, (size_t)c->n);
  }
  spi_buffer_drop(m->e, b);
  return kept || spi_fail(m, SP_RUN_BROKEN, node,
                          "give indices that differ with --input",
                          "%s writes an element twice on these inputs", name);
}

static bool run_alias(sp_machine *m, uint32_t node, machine_tensor *t) {
  const sp_node *n = &m->program->nodes[node];
  for (uint32_t k = 0; k < n->n_in; k++) {
    machine_tensor *in = &m->tensors[n->in[k]];
    if (in->sym.v == t->compiled->alias.v) {
      t->values = in->values;
      t->values->users++;
      return true;
    }
  }
  return false; /* not reached: only operands are read */
}

static bool run_result(sp_machine *m, uint32_t node, uint32_t tensor) {
  machine_tensor *t = &m->tensors[tensor];
  spi_compiled *c = t->compiled;
  if (c->alias.v) {
    return run_alias(m, node, t);
  }
  t->values = spi_buffer_new(m, tensor);
  if (!t->values) {
    return false;
  }
  if (t->n == 0) {
    return true;
  }
  if (c->promise && !promise_kept(m, node, c->promise)) {
    return false;
  }
  if (c->opaque) {
    spi_opaque_run(m, tensor, c->opaque, t->values->data);
    return true;
  }
  return run_shared(m, node, c, t->values->data);
}

/* Starting a node takes as long as so many operations. Loops that never end,
 * which repairs make, would otherwise seem to cost almost nothing. */
static const double NODE_OVERHEAD = 250;

static bool index_agrees(sp_machine *m, uint32_t node) {
  uint32_t index = m->program->nodes[node].in[0];
  for (int64_t r = 1; r < m->e->ranks; r++) {
    if (sp_machine_int(m, index, r, 0) != sp_machine_int(m, index, 0, 0)) {
      return spi_fail(m, SP_RUN_UNDEFINED, node, "",
                      "%s: ranks 0 and %lld take different branches, and the "
                      "branches communicate",
                      m->program->nodes[node].name, (long long)r);
    }
  }
  return true;
}

bool spi_node_run(sp_machine *m, uint32_t node) {
  machine_node *x = &m->nodes[node];
  const sp_node *n = &m->program->nodes[node];
  if (x->loop) {
    return spi_loop_run(m, node, x->loop);
  }
  if (spi_same_index(n) && !index_agrees(m, node)) {
    return false;
  }
  for (uint32_t k = 0; k < n->n_out; k++) {
    machine_tensor *t = &m->tensors[n->out + k];
    if (!t->no_type && !t->values && !run_result(m, node, n->out + k)) {
      return false;
    }
  }
  m->e->done += x->cost + NODE_OVERHEAD;
  return true;
}
