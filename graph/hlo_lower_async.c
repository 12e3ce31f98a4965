/* hlo_lower_async.c: asynchronous pairs. XLA prints async-start of one operator
 * as OPERATOR-start, with the operator's attributes, and what follows it as
 * OPERATOR-update and OPERATOR-done. The start becomes the plain operator
 * and the done nothing, where the start's type has the form that XLA gives
 * it; else both stay operators that nobody knows. */
#include "graph/hlo_lower_i.h"

#include <string.h>

/* --- handlers: asynchronous pairs ---------------------------------------- */

bool spi_ends_in(const char *opcode, const char *end) {
  size_t n = strlen(opcode), m = strlen(end);
  return n > m && strcmp(opcode + n - m, end) == 0;
}

/* A start returns (operands, results, contexts ...); all-reduce-start just
 * the result. This tells which element the result is, or -1 when the start is
 * not of that form and stays an unknown operator. */
static int start_result(const hlo_instr *in) {
  const hlo_type *t = &in->type;
  bool pair = t->tuple && t->n >= 2;
  if (strcmp(in->opcode, "copy-start") == 0) {
    return pair && t->n == 3 && in->n_in == 1 ? 0 : -1;
  }
  if (strcmp(in->opcode, "async-start") == 0 ||
      spi_ends_in(in->opcode, "-update")) {
    return pair && (in->n_calls == 1 || in->n_calls == 0) ? 1 : -1;
  }
  if (!spi_ends_in(in->opcode, "-start") ||
      strcmp(in->opcode, "all-reduce-start") == 0) {
    return -1;
  }
  return pair && in->n_in == spi_type_leaves(&t->elements[0]) ? 1 : -1;
}

static void contexts_clear(hlo_scope *f, uint32_t i) {
  for (uint32_t k = f->o->first[i]; k < f->o->first[i + 1]; k++) {
    f->leaf[k] = HLO_NO_TENSOR;
  }
}

void spi_lower_start(hlo_scope *f, uint32_t i) {
  hlo_lower *lw = f->lw;
  const hlo_instr *in = &f->c->instrs[i];
  const char *base =
      sp_intern(lw->ctx, in->opcode, strlen(in->opcode) - strlen("-start"));
  if (strcmp(base, "all-reduce") == 0) {
    spi_node_for(f, i, base, 0, spi_value_of(f, i).n);
    return;
  }
  if (start_result(in) != 1) {
    spi_lower_generic(f, i);
    return;
  }
  contexts_clear(f, i);
  sp_mark mark = sp_scratch_mark(lw->ctx);
  spi_bind_part(f, i, 0, spi_operands_flat(f, i, 0));
  sp_scratch_release(lw->ctx, mark);
  const uint32_t *elements = f->o->elements[i];
  spi_node_for(f, i, base, elements[1], elements[2] - elements[1]);
}

void spi_lower_copy_start(hlo_scope *f, uint32_t i) {
  const hlo_instr *in = &f->c->instrs[i];
  if (start_result(in) != 0) {
    spi_lower_generic(f, i);
    return;
  }
  contexts_clear(f, i);
  hlo_value v = spi_operand(f, i, 0);
  spi_bind_part(f, i, 0, v);
  spi_bind_part(f, i, f->o->elements[i][1], v);
}

void spi_lower_async_start(hlo_scope *f, uint32_t i) {
  hlo_lower *lw = f->lw;
  const hlo_instr *in = &f->c->instrs[i];
  uint32_t callee;
  if (start_result(in) != 1 || !spi_call_find(in, "calls", 0, &callee)) {
    spi_lower_generic(f, i);
    return;
  }
  contexts_clear(f, i);
  sp_mark mark = sp_scratch_mark(lw->ctx);
  spi_bind_part(f, i, 0, spi_operands_flat(f, i, 0));
  const uint32_t *elements = f->o->elements[i];
  uint32_t n = elements[2] - elements[1];
  uint32_t *out = sp_scratch(lw->ctx, n * sizeof *out);
  spi_inline_call(f, in, callee, in->n_in, spi_args_of(f, i),
                  spi_prefix_of(f, in, ""), n, out);
  spi_bind_part(f, i, elements[1], (hlo_value){n, out});
  sp_scratch_release(lw->ctx, mark);
}

/* "copy-start", "copy-done"; "async-update", "async-done" */
static bool start_pairs(const char *start, const char *done) {
  size_t n = strlen(done) - 5;
  return strncmp(start, done, n) == 0 && (strcmp(start + n, "-start") == 0 ||
                                          strcmp(start + n, "-update") == 0);
}

void spi_lower_done(hlo_scope *f, uint32_t i) {
  const hlo_instr *in = &f->c->instrs[i];
  if (in->n_in == 1 && in->in[0].n_path == 0) {
    uint32_t from = in->in[0].instr;
    const hlo_instr *start = &f->c->instrs[from];
    bool pair = start_pairs(start->opcode, in->opcode);
    int k = pair ? start_result(start) : -1;
    if (pair && strcmp(start->opcode, "all-reduce-start") == 0) {
      spi_bind(f, i, spi_value_of(f, from));
      return;
    }
    if (k >= 0) {
      spi_bind(f, i, spi_value_element(f, in, from, k));
      return;
    }
  }
  spi_lower_generic(f, i);
}
