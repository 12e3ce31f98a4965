/* test_hlo_same.c: all pairs of a text and a protobuf dump of the same module
 * in the large set must give the same program. Names and the order of nodes
 * may differ (XLA prints the lines of a computation in another order than it
 * stores them), so two programs are compared from their results backwards.
 */
#include "graph/hlo.h"
#include "tests/suites.h"
#include "tests/support_dumps.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_hlo_same(void);

typedef struct reading {
  const uint8_t *bytes;
  size_t n;
  const char *file;
  const sp_program *program;
} reading;

static void read_proto(sp_ctx *ctx, void *arg) {
  reading *r = arg;
  r->program = sp_hlo_read_proto(ctx, r->file, r->bytes, r->n);
}

static void read_text(sp_ctx *ctx, void *arg) {
  reading *r = arg;
  r->program = sp_hlo_read_text(ctx, r->file, (const char *)r->bytes, r->n);
}

typedef struct pair {
  const sp_program *a, *b;
  uint32_t *twin; /* tensor of a -> tensor of b + 1; 0 = not seen */
  uint32_t *todo;
  size_t n_todo;
  char why[512];
} pair;

static bool programs_equal(const sp_program *a, const sp_program *b, char *why,
                           size_t size);

static bool differ(pair *p, uint32_t node, const char *what) {
  const sp_node *n = &p->a->nodes[node];
  snprintf(p->why, sizeof p->why, "%s (%s, line %u): %s", n->name, n->op,
           n->pos.dump.line, what);
  return false;
}

static bool text_same(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

static bool sharding_same(const sp_sharding *a, const sp_sharding *b) {
  if (!a || !b) {
    return a == b;
  }
  if (a->kind != b->kind || a->n_dims != b->n_dims || a->copies != b->copies ||
      a->partial != b->partial || a->n_devices != b->n_devices) {
    return false;
  }
  for (uint32_t d = 0; d < a->n_dims; d++) {
    if (a->tiles[d] != b->tiles[d]) {
      return false;
    }
  }
  for (int64_t i = 0; i < a->n_devices; i++) {
    if (a->devices[i] != b->devices[i]) {
      return false;
    }
  }
  return true;
}

static bool literal_same(const sp_literal *a, const sp_literal *b) {
  if (!sp_shape_equal(&a->shape, &b->shape) || !a->f != !b->f) {
    return false;
  }
  int64_t n = sp_shape_elements(&a->shape);
  for (int64_t k = 0; k < n; k++) {
    int64_t i = a->splat ? 0 : k, j = b->splat ? 0 : k;
    if (a->f ? a->f[i] != b->f[j] && !(isnan(a->f[i]) && isnan(b->f[j]))
             : a->i[i] != b->i[j]) {
      return false;
    }
  }
  return true;
}

static bool groups_same(const sp_groups *a, const sp_groups *b) {
  if (a->n_groups != b->n_groups ||
      memcmp(a->start, b->start, (a->n_groups + 1) * sizeof *a->start) != 0) {
    return false;
  }
  return memcmp(a->ids, b->ids, a->start[a->n_groups] * sizeof *a->ids) == 0;
}

static bool window_same(const sp_window_dim *a, const sp_window_dim *b) {
  return a->size == b->size && a->stride == b->stride &&
         a->pad_low == b->pad_low && a->pad_high == b->pad_high &&
         a->window_dilation == b->window_dilation &&
         a->base_dilation == b->base_dilation && a->reversal == b->reversal;
}

static bool attr_same(const sp_attr *a, const sp_attr *b, char *why,
                      size_t size) {
  if (a->kind != b->kind || a->n != b->n) {
    return false;
  }
  switch (a->kind) {
  case SP_ATTR_INT:
    return a->u.i == b->u.i;
  case SP_ATTR_INTS:
    return !a->n || memcmp(a->u.ints, b->u.ints, a->n * sizeof(int64_t)) == 0;
  case SP_ATTR_FLOAT:
    return fabs(a->u.f - b->u.f) <= 1e-6 * fabs(a->u.f);
  case SP_ATTR_TEXT:
    return text_same(a->u.text, b->u.text);
  case SP_ATTR_WINDOW:
    for (size_t i = 0; i < a->n; i++) {
      if (!window_same(&a->u.window[i], &b->u.window[i])) {
        return false;
      }
    }
    return true;
  case SP_ATTR_LITERAL:
    return literal_same(a->u.literal, b->u.literal);
  case SP_ATTR_GROUPS:
    return groups_same(a->u.groups, b->u.groups);
  case SP_ATTR_REGION:
    return programs_equal(a->u.region, b->u.region, why, size);
  case SP_ATTR_OPERAND:
  case SP_ATTR_OPERANDS:
  case SP_ATTR_RANKED_INT:
  case SP_ATTR_RANKED_INTS:
  case SP_ATTR_RANKED_FLOAT:
  case SP_ATTR_MEANING:
    break; /* not in HLO */
  }
  return false;
}

static bool attrs_same(pair *p, uint32_t node, const sp_node *a,
                       const sp_node *b) {
  for (uint32_t i = 0; i < b->n_attrs; i++) {
    if (!sp_node_attr(a, b->attrs[i].name)) {
      differ(p, node, "only the proto has the attribute ");
      strncat(p->why, b->attrs[i].name, sizeof p->why - strlen(p->why) - 1);
      return false;
    }
  }
  for (uint32_t i = 0; i < a->n_attrs; i++) {
    const sp_attr *x = &a->attrs[i];
    const sp_attr *y = sp_node_attr(b, x->name);
    char inner[256] = "";
    if (!y || !attr_same(x, y, inner, sizeof inner)) {
      differ(p, node,
             y ? "another value of the attribute "
               : "only the text has the attribute ");
      strncat(p->why, x->name, sizeof p->why - strlen(p->why) - 1);
      strncat(p->why, ": ", sizeof p->why - strlen(p->why) - 1);
      strncat(p->why, inner, sizeof p->why - strlen(p->why) - 1);
      return false;
    }
  }
  return true;
}

/* Tensor x of a must be tensor y of b. */
static bool pair_add(pair *p, uint32_t x, uint32_t y) {
  if (p->twin[x]) {
    return p->twin[x] == y + 1 ||
           differ(p, p->a->tensors[x].node, "it is two things in the proto");
  }
  p->twin[x] = y + 1;
  p->todo[p->n_todo++] = x;
  return true;
}

static bool nodes_same(pair *p, uint32_t x, uint32_t y) {
  const sp_node *a = &p->a->nodes[x], *b = &p->b->nodes[y];
  if (strcmp(a->op, b->op) != 0) {
    return differ(p, x, b->op);
  }
  if (a->n_in != b->n_in || a->n_out != b->n_out) {
    return differ(p, x, "another number of operands or results");
  }
  if (!text_same(a->pos.source_file, b->pos.source_file) ||
      a->pos.source_line != b->pos.source_line) {
    return differ(p, x, "another source position");
  }
  if (!text_same(a->pos.op_name, b->pos.op_name)) {
    return differ(p, x, "another op_name");
  }
  if (!attrs_same(p, x, a, b)) {
    return false;
  }
  for (uint32_t i = 0; i < a->n_in; i++) {
    if (!pair_add(p, a->in[i], b->in[i])) {
      return false;
    }
  }
  return true;
}

static bool tensors_same(pair *p, uint32_t x) {
  const sp_tensor *a = &p->a->tensors[x];
  const sp_tensor *b = &p->b->tensors[p->twin[x] - 1];
  if (a->result != b->result) {
    return differ(p, a->node, "another result of it is used");
  }
  if (!sp_shape_equal(&a->shape, &b->shape)) {
    return differ(p, a->node, "another shape");
  }
  if (!sharding_same(a->sharding, b->sharding)) {
    differ(p, a->node, "another sharding: ");
    snprintf(p->why + strlen(p->why), sizeof p->why - strlen(p->why), "%s, %s",
             a->sharding ? a->sharding->text : "none",
             b->sharding ? b->sharding->text : "none");
    return false;
  }
  return nodes_same(p, a->node, b->node);
}

static bool outsides_same(pair *p) {
  const sp_program *a = p->a, *b = p->b;
  if (a->n_params != b->n_params || a->n_results != b->n_results ||
      a->n_nodes != b->n_nodes || a->n_tensors != b->n_tensors) {
    snprintf(p->why, sizeof p->why,
             "parameters %u, %u; results %u, %u; nodes %u, %u; tensors %u, %u",
             a->n_params, b->n_params, a->n_results, b->n_results, a->n_nodes,
             b->n_nodes, a->n_tensors, b->n_tensors);
    return false;
  }
  for (uint32_t i = 0; i < a->n_params; i++) {
    if (!pair_add(p, a->params[i], b->params[i])) {
      return false;
    }
  }
  for (uint32_t i = 0; i < a->n_results; i++) {
    if (!pair_add(p, a->results[i], b->results[i])) {
      return false;
    }
  }
  return true;
}

static bool programs_equal(const sp_program *a, const sp_program *b, char *why,
                           size_t size) {
  pair p = {.a = a, .b = b};
  p.twin = calloc(a->n_tensors + 1, sizeof *p.twin);
  p.todo = calloc(a->n_tensors + 1, sizeof *p.todo);
  bool same = outsides_same(&p);
  while (same && p.n_todo) {
    same = tensors_same(&p, p.todo[--p.n_todo]);
  }
  free(p.twin);
  free(p.todo);
  snprintf(why, size, "%s", p.why);
  return same;
}

/* What the module says of its parameters and results is compared where both
 * dumps say it: the text of a partitioned module does not. */
static bool relations_equal(const sp_sharding *const *a,
                            const sp_sharding *const *b, uint32_t n) {
  for (uint32_t i = 0; a && b && i < n; i++) {
    if (a[i] && b[i] && !sharding_same(a[i], b[i])) {
      return false;
    }
  }
  return true;
}

/* Prints what differs, unless quiet. */
static bool pair_check(const char *text_path, const char *proto_path,
                       bool quiet) {
  reading text = {.file = text_path}, proto = {.file = proto_path};
  uint8_t *t = file_bytes(text_path, &text.n);
  uint8_t *b = file_bytes(proto_path, &proto.n);
  text.bytes = t;
  proto.bytes = b;
  sp_ctx *ctx = sp_ctx_new(NULL);
  char why[600] = "";
  bool same = false;
  if (!t || !b) {
    snprintf(why, sizeof why, "a file is missing");
  } else if (sp_protect(ctx, read_text, &text) ||
             sp_protect(ctx, read_proto, &proto)) {
    snprintf(why, sizeof why, "%.400s", sp_ctx_error(ctx)->message);
  } else if (!programs_equal(text.program, proto.program, why, sizeof why)) {
  } else if (!relations_equal(text.program->param_shardings,
                              proto.program->param_shardings,
                              text.program->n_params)) {
    snprintf(why, sizeof why, "shardings of parameters");
  } else if (!relations_equal(text.program->result_shardings,
                              proto.program->result_shardings,
                              text.program->n_results)) {
    snprintf(why, sizeof why, "shardings of results");
  } else {
    same = true;
  }
  if (!same && !quiet) {
    printf("\n    %s: %s", proto_path, why);
  } else if (same && text.program->partitions != proto.program->partitions &&
             strstr(proto_path, ".module.pb") == NULL) {
    printf("\n    %s: partitions", proto_path);
    same = false;
  }
  sp_ctx_free(ctx);
  free(t);
  free(b);
  return same;
}

/* A bare module does not carry the number of partitions; a wrapped one does. */
static void text_and_proto_give_the_same_program(void) {
  static const char *const ends[] = {".hlo.pb", ".module.pb"};
  for (size_t e = 0; e < 2; e++) {
    dump_list l = dump_list_find(ends[e]);
    size_t bad = 0;
    for (size_t i = 0; i < l.n; i++) {
      size_t n = strlen(l.paths[i]) - strlen(ends[e]);
      char *text = malloc(n + 16);
      snprintf(text, n + 16, "%.*s.hlo.txt", (int)n, l.paths[i]);
      bad += !pair_check(text, l.paths[i], false);
      free(text);
    }
    CU_ASSERT_EQUAL(bad, 0);
    dump_list_free(&l);
  }
}

/* The comparison must see what a mutant changed: groups, pairs, constants,
 * attributes, operands. */
static void a_mutant_is_not_the_program_it_was_made_from(void) {
  static const char *const rows[][2] = {
      {"gather_order", "llama_block_sp"},
      {"groups_transposed_grad_2d", "mlp_train_2d"},
      {"missing_scale_attention", "attention_tp"},
      {"offset_stride_embedding", "vocab_embedding"},
      {"pairs_reversed_ring_attention", "smap_ring_attention"},
      {"sum_to_max_layernorm", "layernorm_sharded"},
      {"drop_allreduce_in_scan", "llama4_scan"},
  };
  const char *cases = getenv("SHARDPROOF_CASES");
  char text[1024], proto[1024];
  for (size_t i = 0; cases && i < sizeof rows / sizeof rows[0]; i++) {
    snprintf(text, sizeof text, "%s/xla/mutants/%s/after.hlo.txt", cases,
             rows[i][0]);
    snprintf(proto, sizeof proto, "%s/xla/%s/after.hlo.pb", cases, rows[i][1]);
    CU_ASSERT_FALSE(pair_check(text, proto, true));
  }
}

void suite_hlo_same(void) {
  CU_pSuite s = CU_add_suite("hlo_same", NULL, NULL);
#define ADD(test) CU_add_test(s, #test, test)
  ADD(text_and_proto_give_the_same_program);
  ADD(a_mutant_is_not_the_program_it_was_made_from);
#undef ADD
}
