/* op.c: finding rows, checking a node against its row, evaluating it. The rows
 * are in encode/ops/; CMake lists their files in the generated ops_table.c. */
#include "encode/op.h"
#include "encode/aten_args.h"
#include "encode/manual.h"
#include "encode/op_util.h"
#include "graph/same.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

/* Generated: sp_ops_X of every file encode/ops/X.c, then NULL. */
extern const sp_op *const *const sp_op_files[];

enum { MAX_ROWS = 1024, MAX_SPELLINGS = 4096 };

/* Constants, laid out once per process: rows in table order, and spellings in
 * alphabetic order for the search. Never written again. */
static const sp_op *rows[MAX_ROWS];
static uint32_t n_rows;
static struct spelling {
  const char *text;
  const sp_op *row;
} spellings[MAX_SPELLINGS];
static uint32_t n_spellings;
static once_flag rows_once = ONCE_FLAG_INIT;

static int by_text(const void *a, const void *b) {
  return strcmp(((const struct spelling *)a)->text,
                ((const struct spelling *)b)->text);
}

static void rows_fill(void) {
  for (const sp_op *const *const *file = sp_op_files; *file; file++) {
    for (const sp_op *const *row = *file; *row; row++) {
      assert(n_rows < MAX_ROWS);
      rows[n_rows++] = *row;
      for (const char *const *s = (*row)->spellings; *s; s++) {
        assert(n_spellings < MAX_SPELLINGS);
        spellings[n_spellings++] = (struct spelling){*s, *row};
      }
    }
  }
  qsort(spellings, n_spellings, sizeof *spellings, by_text);
}

const sp_op *const *sp_op_table(uint32_t *n) {
  call_once(&rows_once, rows_fill);
  *n = n_rows;
  return rows;
}

const sp_op *sp_op_find(const char *spelling) {
  call_once(&rows_once, rows_fill);
  uint32_t lo = 0, hi = n_spellings;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    int c = strcmp(spelling, spellings[mid].text);
    if (c == 0) {
      return spellings[mid].row;
    }
    if (c < 0) {
      hi = mid;
    } else {
      lo = mid + 1;
    }
  }
  return NULL;
}

const char *spi_attr_kind_name(sp_attr_kind k) {
  switch (k) {
  case SP_ATTR_INT:
    return "a number";
  case SP_ATTR_INTS:
    return "a list of numbers";
  case SP_ATTR_FLOAT:
    return "a float";
  case SP_ATTR_TEXT:
    return "a text";
  case SP_ATTR_WINDOW:
    return "a window";
  case SP_ATTR_LITERAL:
    return "a literal";
  case SP_ATTR_GROUPS:
    return "device groups";
  case SP_ATTR_REGION:
    return "a computation";
  case SP_ATTR_OPERAND:
    return "an operand";
  case SP_ATTR_OPERANDS:
    return "a list of operands";
  case SP_ATTR_RANKED_INT:
    return "a number that differs from rank to rank";
  case SP_ATTR_RANKED_INTS:
    return "a list of numbers that differs from rank to rank";
  case SP_ATTR_RANKED_FLOAT:
    return "a float that differs from rank to rank";
  case SP_ATTR_MEANING:
    return "a meaning";
  }
  return "?";
}

static const sp_op_attr *row_attr(const sp_op *op, const char *name) {
  for (const sp_op_attr *a = op->attrs; a && a->name; a++) {
    if (strcmp(a->name, name) == 0) {
      return a;
    }
  }
  return NULL;
}

static void check_attrs(sp_ctx *ctx, const sp_program *program, const sp_op *op,
                        const sp_node *node) {
  if (op->params) {
    spi_args_check(ctx, program, op, node);
    return;
  }
  if (op->own_args) {
    return;
  }
  for (uint32_t i = 0; i < node->n_attrs; i++) {
    const sp_attr *a = &node->attrs[i];
    const sp_op_attr *known = row_attr(op, a->name);
    if (!known) {
      spi_unknown(ctx, node, "attribute %s is not understood", a->name);
    }
    if (known->kind != a->kind) {
      spi_bad(ctx, node, "attribute %s is %s, %s expected", a->name,
              spi_attr_kind_name(a->kind), spi_attr_kind_name(known->kind));
    }
  }
  for (const sp_op_attr *a = op->attrs; a && a->name; a++) {
    if (a->required && !sp_node_attr(node, a->name)) {
      spi_bad(ctx, node, "attribute %s is missing", a->name);
    }
  }
}

static void check_operands(sp_ctx *ctx, const sp_op *op, const sp_node *node) {
  if (node->n_in < op->min_operands || node->n_in > op->max_operands) {
    spi_bad(ctx, node, "%u operands, %s%u expected", node->n_in,
            node->n_in < op->min_operands ? "at least " : "at most ",
            node->n_in < op->min_operands ? op->min_operands
                                          : op->max_operands);
  }
}

/* Complex numbers and tokens are no terms (sp_dtype_sort has no place for
 * them), whatever the operator. */
static void check_dtype(sp_ctx *ctx, const sp_node *node, const sp_shape *s) {
  if (s->dtype == SP_DTYPE_INVALID) {
    spi_unknown(ctx, node,
                "a tensor whose type or sizes the text does not say");
  }
  if (!sp_dtype_is_int(s->dtype) && !sp_dtype_is_float(s->dtype) &&
      s->dtype != SP_PRED) {
    spi_unknown(ctx, node, "values of type %s are not modelled",
                sp_dtype_name(s->dtype));
  }
}

static const sp_op *check_node(sp_ctx *ctx, const sp_program *program,
                               const sp_node *node) {
  const sp_op *op = sp_op_find(node->op);
  if (!op) {
    spi_unknown(ctx, node, "the operator has no row in the operator table");
  }
  check_operands(ctx, op, node);
  check_attrs(ctx, program, op, node);
  for (uint32_t i = 0; i < node->n_in; i++) {
    check_dtype(ctx, node, spi_in(program, node, i));
  }
  for (uint32_t i = 0; i < node->n_out; i++) {
    /* an element of a tuple that nobody uses has no type in FX texts */
    if (spi_out(program, node, i)->dtype != SP_DTYPE_INVALID ||
        (!op->params && !op->own_args)) {
      check_dtype(ctx, node, spi_out(program, node, i));
    }
  }
  op->shape(ctx, program, node);
  return op;
}

/* Computations work on scalars, and hold none themselves. */
static void check_region(sp_ctx *ctx, const sp_node *user,
                         const sp_program *region) {
  for (uint32_t i = 0; i < region->n_tensors; i++) {
    if (region->tensors[i].shape.n_dims != 0) {
      spi_unknown(ctx, user, "its computation %s works on arrays",
                  region->name);
    }
    check_dtype(ctx, user, &region->tensors[i].shape);
  }
  for (uint32_t i = 0; i < region->n_nodes; i++) {
    const sp_node *node = &region->nodes[i];
    if (strcmp(node->op, "hlo:parameter") == 0) {
      continue;
    }
    for (uint32_t k = 0; k < node->n_attrs; k++) {
      if (node->attrs[k].kind == SP_ATTR_REGION) {
        spi_unknown(ctx, user, "its computation %s calls computations",
                    region->name);
      }
    }
    check_node(ctx, region, node);
  }
}

const sp_op *sp_op_check(sp_ctx *ctx, const sp_program *program,
                         const sp_node *node) {
  const sp_op *op = sp_op_find(node->op);
  if (op) {
    check_attrs(ctx, program, op, node);
    for (uint32_t i = 0; i < node->n_attrs; i++) {
      if (node->attrs[i].kind == SP_ATTR_REGION) {
        check_region(ctx, node, node->attrs[i].u.region);
      }
    }
  }
  return check_node(ctx, program, node);
}

bool sp_op_same(const sp_program *p, const sp_node *a, const sp_program *q,
                const sp_node *b) {
  const sp_op *op = sp_op_find(a->op);
  return !(op && op->by_name) && sp_node_same(a, b) &&
         spi_manual_same(p, a, q, b);
}

sp_expr sp_op_element(const sp_call *call, const sp_expr *idx) {
  /* a result whose type nobody knows has no element */
  check_dtype(sp_pool_ctx(call->pool), call->node,
              spi_out(call->program, call->node, call->result));
  const sp_op *op = sp_op_find(call->node->op);
  if (!op) {
    spi_unknown(sp_pool_ctx(call->pool), call->node,
                "the operator has no row in the operator table");
  }
  sp_expr e = op->element(call, idx);
  if (sp_sort_of(call->pool, e) != sp_dtype_sort(spi_out_dtype(call))) {
    sp_raise(sp_pool_ctx(call->pool), SP_ERR_INTERNAL, call->node->pos.dump,
             NULL, "%s (%s): the element has another sort than the result",
             call->node->name, call->node->op);
  }
  return e;
}

sp_expr sp_call_read(const sp_call *call, uint32_t operand,
                     const sp_expr *idx) {
  return spi_read_at(call, operand, call->rank, idx);
}

const sp_shape *sp_call_shape(const sp_call *call, uint32_t operand) {
  return spi_in(call->program, call->node, operand);
}

const sp_shape *sp_call_result_shape(const sp_call *call) {
  return spi_out(call->program, call->node, call->result);
}

sp_sort sp_dtype_sort(sp_dtype t) {
  if (t == SP_PRED) {
    return SP_SORT_BOOL;
  }
  return sp_dtype_is_int(t) ? SP_SORT_INT : SP_SORT_REAL;
}
