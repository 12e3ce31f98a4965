/* machine_node.c: computing a node's results: by tape, in blocks of lanes, on
 * several threads where that pays. */
#include "solve/machine.h"

#include <threads.h>

/* Below so many operations another thread costs more than it saves. */
#define THREAD_OPS 300000.0
enum { MAX_THREADS = 64 };

void spi_sources(const sp_machine *m, uint32_t node, const spi_tape *t,
                 spi_source *out) {
  const sp_node *n = &m->program->nodes[node];
  for (uint32_t i = 0; i < t->n_sources; i++) {
    out[i] = t->sources[i];
    for (uint32_t k = 0; !out[i].data && k < n->n_in; k++) {
      const machine_tensor *in = &m->tensors[n->in[k]];
      if (in->sym.v == out[i].sym.v) {
        out[i].data = in->values->data;
      }
    }
  }
}

typedef struct part {
  const sp_machine *m;
  uint32_t tensor;
  const spi_tape *tape;
  spi_tape_state *state;
  const spi_source *sources;
  void *out;
  int64_t from, to; /* blocks of lanes, over all ranks */
  bool outside;
  sp_sym outside_of;
} part;

static int run_part(void *arg) {
  part *x = arg;
  const sp_shape *shape = &x->m->program->tensors[x->tensor].shape;
  int64_t n = x->m->tensors[x->tensor].n;
  int64_t blocks = (n + SPI_LANES - 1) / SPI_LANES, rank = -1;
  for (int64_t b = x->from; b < x->to; b++) {
    if (b / blocks != rank) {
      rank = b / blocks;
      spi_tape_start(x->tape, x->state, x->sources, 1, &rank);
    }
    int64_t at = b % blocks * SPI_LANES;
    uint32_t lanes = (uint32_t)(n - at < SPI_LANES ? n - at : SPI_LANES);
    spi_tape_run(x->tape, x->state, 1, shape->dims, at, lanes);
    spi_store(x->m, x->tensor, x->out, rank * n + at, lanes,
              x->state->reg[x->tape->outs[0]]);
    if (x->state->outside && !x->outside) {
      x->outside = true;
      x->outside_of = x->state->outside_of;
    }
  }
  return 0;
}

static bool run_tape(sp_machine *m, uint32_t node, uint32_t tensor,
                     const spi_tape *tape, void *out) {
  spi_engine *e = m->e;
  int64_t n = m->tensors[tensor].n;
  int64_t blocks = (n + SPI_LANES - 1) / SPI_LANES * e->ranks;
  double cost = tape->cost * (double)n * (double)e->ranks;
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
                  .tensor = tensor,
                  .tape = tape,
                  .state = e->states[i],
                  .sources = sources,
                  .out = out,
                  .from = blocks * (int64_t)i / (int64_t)parts,
                  .to = blocks * (int64_t)(i + 1) / (int64_t)parts};
    started[i] = i > 0 && thrd_create(&threads[i], run_part, &v[i]) ==
                              thrd_success;
  }
  bool outside = false;
  sp_sym of = {0};
  for (unsigned i = 0; i < parts; i++) {
    if (started[i]) {
      thrd_join(threads[i], NULL);
    } else {
      run_part(&v[i]);
    }
    if (v[i].outside) {
      outside = true;
      of = v[i].outside_of;
    }
  }
  sp_scratch_release(e->ctx, mark);
  if (outside) {
    return spi_fail(m, SP_RUN_UNDEFINED, node,
                    "give the range of the indices that are inputs",
                    "%s reads outside of %s on these inputs",
                    m->program->nodes[node].name, sp_sym_name(e->pool, of));
  }
  return true;
}

static bool run_result(sp_machine *m, uint32_t node, uint32_t tensor) {
  machine_tensor *t = &m->tensors[tensor];
  const spi_compiled *c = t->compiled;
  t->values = spi_buffer_new(m, tensor);
  if (!t->values) {
    return false;
  }
  if (t->n == 0) {
    return true;
  }
  if (c->opaque) {
    spi_opaque_run(m, tensor, c->opaque, t->values->data);
    return true;
  }
  if (c->contraction) {
    spi_contract(m, tensor, c->contraction, t->values->data);
    return true;
  }
  return run_tape(m, node, tensor, c->tape, t->values->data);
}

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
  m->e->done += x->cost;
  return true;
}
