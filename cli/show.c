/* show.c: `shardproof show`: a program as it was read.
 *
 * Each tensor is printed with its element at symbolic indices, from the
 * operator table, over symbols for its operands. Every operand has two: one
 * for elements on the rank that computes (x[i0, i1]) and one for elements on
 * any rank (x@[p, i0, i1]), so that only collectives mention ranks. */
#include "cli/command.h"
#include "cli/message.h"
#include "encode/op.h"
#include "shard-specs/problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct symbols {
  sp_sym own, any; /* made when first read; 0 before */
} symbols;

typedef struct showing {
  const sp_program *program;
  sp_pool *pool;
  symbols *symbols; /* one for each tensor */
  sp_expr rank;
  const sp_node *node; /* the one being shown */
  uint32_t result;
  const char *text; /* its element */
} showing;

static sp_sym make_symbol(showing *s, uint32_t tensor, bool any) {
  sp_ctx *ctx = sp_pool_ctx(s->pool);
  const sp_tensor *t = &s->program->tensors[tensor];
  uint32_t n = t->shape.n_dims;
  int64_t *extents = sp_alloc_n(ctx, n + 1, sizeof *extents);
  extents[0] = s->program->partitions;
  for (uint32_t i = 0; i < n; i++) {
    extents[i + 1] = t->shape.dims[i];
  }
  const char *name = any ? sp_format(ctx, "%s@", t->name) : t->name;
  return sp_sym_new(s->pool, name, sp_dtype_sort(t->shape.dtype),
                    any ? n + 1 : n, any ? extents : extents + 1);
}

static sp_expr read_operand(void *env, const sp_call *call, uint32_t operand,
                            sp_expr rank, const sp_expr *idx) {
  showing *s = env;
  uint32_t tensor = call->node->in[operand];
  const sp_shape *shape = &s->program->tensors[tensor].shape;
  bool any = rank.v != s->rank.v;
  sp_sym *sym = any ? &s->symbols[tensor].any : &s->symbols[tensor].own;
  if (!sym->v) {
    *sym = make_symbol(s, tensor, any);
  }
  if (!any) {
    return sp_read(s->pool, *sym, idx);
  }
  sp_expr at[SP_MAX_DIMS + 1];
  at[0] = rank;
  for (uint32_t i = 0; i < shape->n_dims; i++) {
    at[i + 1] = idx[i];
  }
  return sp_read(s->pool, *sym, at);
}

/* The element of one result of a node, as text in s->text. */
static void show_element(sp_ctx *ctx, void *arg) {
  showing *s = arg;
  const sp_op *op = sp_op_check(ctx, s->program, s->node);
  const sp_shape *shape = &s->program->tensors[s->node->out + s->result].shape;
  sp_expr idx[SP_MAX_DIMS];
  for (uint32_t i = 0; i < shape->n_dims; i++) {
    int64_t extent = shape->dims[i] > 0 ? shape->dims[i] : 1;
    idx[i] = sp_var(s->pool, SP_VAR_INDEX, sp_format(ctx, "i%u", i), extent);
  }
  sp_call call = {
      .pool = s->pool,
      .program = s->program,
      .node = s->node,
      .result = s->result,
      .rank = s->rank,
      .partitions = s->program->partitions,
      .read = read_operand,
      .env = s,
  };
  (void)op;
  s->text = sp_show(s->pool, sp_op_element(&call, idx));
}

static void print_indices(const sp_shape *shape) {
  printf("[");
  for (uint32_t i = 0; i < shape->n_dims; i++) {
    printf("%si%u", i ? ", " : "", i);
  }
  printf("]");
}

static void print_place(sp_ctx *ctx, const sp_pos *pos) {
  if (pos->dump.line) {
    printf("    at line %" PRIu32, pos->dump.line);
  } else if (pos->dump.has_byte) {
    printf("    at byte %" PRIu64, pos->dump.byte);
  } else {
    printf("    at");
  }
  if (pos->source_file) {
    printf(", %s:%" PRIu32, cli_clean(ctx, pos->source_file), pos->source_line);
  }
  if (pos->op_name) {
    printf(", %s", cli_clean(ctx, pos->op_name));
  }
  printf("\n");
}

static bool has_place(const sp_pos *pos) {
  return pos->dump.line || pos->dump.has_byte || pos->source_file ||
         pos->op_name;
}

static bool is_parameter(const sp_node *node) {
  return strcmp(node->op, "hlo:parameter") == 0 ||
         strcmp(node->op, "fx:placeholder") == 0;
}

/* Malformed nodes end the command; those without a meaning are shown as such,
 * since looking into a program is how one finds out. */
static void print_result(sp_ctx *ctx, showing *s) {
  const sp_tensor *t = &s->program->tensors[s->node->out + s->result];
  printf("%s = %s %s(", cli_clean(ctx, t->name), sp_shape_text(ctx, &t->shape),
         s->node->op);
  for (uint32_t i = 0; i < s->node->n_in; i++) {
    printf("%s%s", i ? ", " : "",
           cli_clean(ctx, s->program->tensors[s->node->in[i]].name));
  }
  printf(")\n");
  if (t->sharding && t->sharding->text) {
    printf("    sharding %s\n", cli_clean(ctx, t->sharding->text));
  }
  if (has_place(&s->node->pos)) {
    print_place(ctx, &s->node->pos);
  }
  if (is_parameter(s->node)) {
    return;
  }
  sp_code code = sp_protect(ctx, show_element, s);
  if (code == SP_OK) {
    printf("    ");
    print_indices(&t->shape);
    printf(" = %s\n", cli_clean(ctx, s->text));
    return;
  }
  const sp_error *e = sp_ctx_error(ctx);
  if (code != SP_ERR_UNKNOWN && code != SP_ERR_LIMIT) {
    sp_raise(ctx, code, e->loc, *e->hint ? sp_strdup(ctx, e->hint) : NULL, "%s",
             sp_strdup(ctx, e->message));
  }
  printf("    no element expression: %s\n", cli_clean(ctx, e->message));
}

static int run_show(sp_ctx *ctx, const cli_values *values) {
  if (values->n_arguments != 1) {
    cli_usage_error("usage: shardproof show FILE",
                    "show takes one file, not %d", values->n_arguments);
    return CLI_USAGE;
  }
  const char *path = values->arguments[0];
  const sp_program *p = sp_spec_load(ctx, path, (sp_loc){.file = path});
  printf("module %s, %" PRId64 " partition%s, %" PRIu32 " tensors\n\n",
         cli_clean(ctx, p->name ? p->name : "(no name)"), p->partitions,
         p->partitions == 1 ? "" : "s", p->n_tensors);
  showing s = {.program = p, .pool = sp_pool_new(ctx)};
  s.symbols = sp_alloc_n(ctx, p->n_tensors, sizeof *s.symbols);
  int64_t ranks = p->partitions > 0 ? p->partitions : 1;
  s.rank = sp_var(s.pool, SP_VAR_RANK, "rank", ranks);
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    s.node = &p->nodes[i];
    for (s.result = 0; s.result < s.node->n_out; s.result++) {
      print_result(ctx, &s);
    }
  }
  printf("\nresults:");
  for (uint32_t i = 0; i < p->n_results; i++) {
    uint32_t t = p->results[i];
    printf("%s%s", i ? ", " : " ",
           t == SP_NO_TENSOR ? "None" : cli_clean(ctx, p->tensors[t].name));
  }
  printf("\n");
  return CLI_REFINES;
}

static const cli_option show_options[] = {CLI_OPTION_HELP, CLI_OPTIONS_END};

/* clang-format off */
static const char show_details[] =
  "FILE is an HLO module or a PyTorch FX graph.\n"
  "Prints, for each tensor: name, shape, operator, operands; its sharding and\n"
  "place where the file has them; and its element at index [i0, i1, ...].\n"
  "There x[i] is an element of x on the rank that computes, x@[p, i] the one on\n"
  "rank p, `rank` the rank that computes; b0.0, b1.0, ... are bound by the\n"
  "reduction in which they stand.\n";
/* clang-format on */

const cli_command cli_show = {
    .name = "show",
    .arguments = "FILE",
    .summary = "print a program as it was read",
    .details = show_details,
    .options = show_options,
    .run = run_show,
};
