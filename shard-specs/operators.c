/* operators.c: meanings of custom operators: read from `operators:` of a spec,
 * found for a node, and put into it. A node may name its operator in three
 * ways (key_of): as the call's target, as the target of an HLO custom-call, as
 * the first argument of auto_functionalized. */
#include "encode/op.h"
#include "shard-specs/problem.h"
#include "shard-specs/ready_made.h"
#include "shard-specs/spec_i.h"

#include <string.h>

/* ---- reading ---- */

void spi_read_operators(sp_ctx *ctx, const sp_yaml *node, spi_meanings *out) {
  sp_yaml_want(ctx, node, SP_YAML_MAP, "operators");
  for (size_t i = 0; i < node->n; i++) {
    const sp_yaml_pair *p = &node->pairs[i];
    sp_yaml_text(ctx, p->value, "the meaning of an operator");
    const char *name = p->key->text;
    static const char torch[] = "torch.ops.";
    if (strncmp(name, torch, sizeof torch - 1) == 0) {
      name += sizeof torch - 1;
    }
    sp_push(ctx, out, sp_meaning_read(ctx, name, &p->value->lines));
  }
}

/* "ns.op" is all of "ns.op.OVERLOAD", too. */
static bool is_meant(const sp_meaning *m, const char *op) {
  size_t n = strlen(m->name);
  return strncmp(m->name, op, n) == 0 &&
         (op[n] == '\0' || (op[n] == '.' && !strchr(op + n + 1, '.')));
}

static const sp_meaning *find_in(size_t n, const sp_meaning *const *v,
                                 const char *op) {
  for (size_t i = 0; i < n; i++) {
    if (is_meant(v[i], op)) {
      return v[i];
    }
  }
  return NULL;
}

/* A cheap look before files are read: is there a key that begins the name? */
static bool mentions(const sp_ready_made *file, const char *op) {
  size_t n = strlen(op);
  const char *dot = strrchr(op, '.');
  size_t shorter = dot ? (size_t)(dot - op) : n;
  const char *end = file->text + file->n;
  for (const char *s = file->text; s < end; s++) {
    size_t left = (size_t)(end - s);
    if ((left > n && memcmp(s, op, n) == 0 && s[n] == ':') ||
        (left > shorter && memcmp(s, op, shorter) == 0 && s[shorter] == ':')) {
      return true;
    }
  }
  return false;
}

const sp_meaning *sp_spec_ready_made(sp_ctx *ctx, const char *op) {
  for (const sp_ready_made *f = sp_ready_made_files; f->name; f++) {
    if (!mentions(f, op)) {
      continue;
    }
    spi_meanings list = {0};
    const sp_yaml *root = sp_yaml_read_text(ctx, f->name, f->text, f->n);
    spi_read_operators(ctx, sp_yaml_get(root, "operators"), &list);
    const sp_meaning *m = find_in(list.n, list.v, op);
    if (m) {
      return m;
    }
  }
  return NULL;
}

/* ---- nodes ---- */

typedef struct found {
  const char *op;
  const sp_meaning *meaning; /* NULL: none */
} found;

typedef struct rewrite {
  sp_ctx *ctx;
  const sp_spec *spec;
  const sp_program *program;
  sp_spec_notes *notes;
  SP_VEC(found) cache;
} rewrite;

static const char *attr_text(const sp_node *node, const char *name) {
  const sp_attr *a = sp_node_attr(node, name);
  return a && a->kind == SP_ATTR_TEXT ? a->u.text : NULL;
}

typedef enum call_form {
  FORM_PLAIN,
  FORM_HLO,
  FORM_FUNCTIONALIZED,    /* op is arg0, arguments by keyword */
  FORM_FUNCTIONALIZED_V2, /* written ones in _all_bases */
} call_form;

/* What the node calls. */
static const char *key_of(const sp_node *node, call_form *form) {
  *form = FORM_PLAIN;
  if (strcmp(node->op, "hlo:custom-call") == 0) {
    *form = FORM_HLO;
    const char *target = attr_text(node, "custom_call_target");
    return target ? target : "";
  }
  if (strncmp(node->op, "higher_order.auto_functionalized", 32) == 0) {
    *form = strcmp(node->op + 32, "_v2") == 0 ? FORM_FUNCTIONALIZED_V2
                                              : FORM_FUNCTIONALIZED;
    const char *op = attr_text(node, "arg0");
    if (!op) {
      return "";
    }
    return strncmp(op, "torch.ops.", 10) == 0 ? op + 10 : op;
  }
  return node->op;
}

static void note(rewrite *w, const char *text) {
  for (size_t i = 0; i < w->notes->n; i++) {
    if (strcmp(w->notes->v[i], text) == 0) {
      return;
    }
  }
  sp_push(w->ctx, w->notes, text);
}

/* The spec's own come first, then rows of the operator table, then the
 * ready-made ones. */
static const sp_meaning *meaning_for(rewrite *w, const sp_node *node,
                                     const char *op, call_form form) {
  for (size_t i = 0; i < w->cache.n; i++) {
    if (strcmp(w->cache.v[i].op, op) == 0) {
      return w->cache.v[i].meaning;
    }
  }
  const sp_meaning *m = find_in(w->spec->n_operators, w->spec->operators, op);
  if (!m && (form != FORM_PLAIN || !sp_op_find(node->op))) {
    m = sp_spec_ready_made(w->ctx, op);
  }
  sp_push(w->ctx, &w->cache, ((found){op, m}));
  if (m) {
    note(w, sp_format(w->ctx, "%s means what %s:%u says", op,
                      m->loc.file ? m->loc.file : "", m->loc.line));
  }
  return m;
}

/* ---- arguments ---- */

typedef struct arguments {
  const rewrite *w;
  const sp_node *node;
  const sp_meaning *m;
  bool *used; /* attributes of the node */
  SP_VEC(sp_attr) attrs;
} arguments;

static noreturn void misfit(const arguments *x, const char *text) {
  sp_raise(x->w->ctx, SP_ERR_INPUT, x->node->pos.dump,
           sp_format(x->w->ctx, "correct its meaning, %s:%u",
                     x->m->loc.file ? x->m->loc.file : "", x->m->loc.line),
           "%s (%s) does not fit its meaning: %s", x->node->name, x->m->name,
           text);
}

static const sp_attr *take(arguments *x, const char *name) {
  for (uint32_t i = 0; i < x->node->n_attrs; i++) {
    if (strcmp(x->node->attrs[i].name, name) == 0) {
      x->used[i] = true;
      return &x->node->attrs[i];
    }
  }
  return NULL;
}

static void give(arguments *x, const char *name, const sp_attr *value) {
  sp_attr a = *value;
  a.name = name;
  sp_push(x->w->ctx, &x->attrs, a);
}

/* HLO: tensors in order, the rest by name. */
static void give_hlo(arguments *x) {
  uint32_t at = 0;
  for (uint32_t i = 0; i < x->m->n_params; i++) {
    const sp_meaning_param *q = &x->m->params[i];
    if (q->kind == SP_MEANING_TENSOR) {
      if (at >= x->node->n_in) {
        misfit(x,
               sp_format(x->w->ctx, "there is no operand %u, %s", at, q->name));
      }
      sp_attr a = {.kind = SP_ATTR_OPERAND, .u.i = at++};
      give(x, q->name, &a);
    } else {
      const sp_attr *a = take(x, q->name);
      if (a) {
        give(x, q->name, a);
      }
    }
  }
  if (at != x->node->n_in) {
    misfit(x, sp_format(x->w->ctx, "it has %u operands, %u expected",
                        x->node->n_in, at));
  }
  static const char *const harmless[] = {"custom_call_target",
                                         "custom_call_has_side_effect",
                                         "api_version",
                                         "operand_layout_constraints",
                                         "result_layouts",
                                         "frontend_attributes",
                                         "schedule"};
  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
    take(x, harmless[i]);
  }
}

/* _NAME_base_index = i stands for element i of _all_bases. */
static bool give_base(arguments *x, const char *name) {
  const sp_attr *at = take(x, sp_format(x->w->ctx, "_%s_base_index", name));
  const sp_attr *bases = take(x, "_all_bases");
  if (!at || at->kind != SP_ATTR_INT || !bases ||
      bases->kind != SP_ATTR_OPERANDS || at->u.i < 0 ||
      (size_t)at->u.i >= bases->n) {
    return false;
  }
  sp_attr a = {.kind = SP_ATTR_OPERAND, .u.i = bases->u.ints[at->u.i]};
  give(x, name, &a);
  return true;
}

static void give_call(arguments *x, call_form form) {
  if (form != FORM_PLAIN) {
    take(x, "arg0");
  }
  for (uint32_t i = 0; i < x->m->n_params; i++) {
    const sp_meaning_param *q = &x->m->params[i];
    const sp_attr *a = take(x, q->name);
    if (!a && form == FORM_PLAIN) {
      a = take(x, sp_format(x->w->ctx, "arg%u", i));
    }
    if (a) {
      give(x, q->name, a);
    } else if (form != FORM_FUNCTIONALIZED_V2 || !give_base(x, q->name)) {
      /* its row says so where the formula needs it */
      if (!q->absent && q->kind != SP_MEANING_ANY) {
        misfit(x, sp_format(x->w->ctx, "argument %s is missing", q->name));
      }
    }
  }
}

static void check_param(const arguments *x, const sp_meaning_param *q,
                        const sp_attr *a) {
  bool number = a->kind == SP_ATTR_INT || a->kind == SP_ATTR_RANKED_INT;
  bool ok = false;
  switch (q->kind) {
  case SP_MEANING_TENSOR:
    ok = a->kind == SP_ATTR_OPERAND;
    break;
  case SP_MEANING_INT:
  case SP_MEANING_BOOL:
    ok = number;
    break;
  case SP_MEANING_REAL:
    ok = number || a->kind == SP_ATTR_FLOAT;
    break;
  case SP_MEANING_TEXT:
    ok = a->kind == SP_ATTR_TEXT;
    break;
  case SP_MEANING_LIST:
    ok = a->kind == SP_ATTR_INTS || a->kind == SP_ATTR_INT;
    break;
  case SP_MEANING_ANY:
    ok = a->kind != SP_ATTR_OPERAND && a->kind != SP_ATTR_OPERANDS;
    break;
  }
  if (!ok) {
    misfit(x, sp_format(x->w->ctx, "argument %s is of another kind", q->name));
  }
}

static void check_arguments(const arguments *x) {
  for (uint32_t i = 0; i < x->node->n_attrs; i++) {
    if (!x->used[i]) {
      misfit(x, sp_format(x->w->ctx, "it has no parameter for %s",
                          x->node->attrs[i].name));
    }
  }
  for (size_t k = 0; k < x->attrs.n; k++) {
    for (uint32_t i = 0; i < x->m->n_params; i++) {
      if (strcmp(x->m->params[i].name, x->attrs.v[k].name) == 0) {
        check_param(x, &x->m->params[i], &x->attrs.v[k]);
      }
    }
  }
}

static void replace(rewrite *w, sp_node *node, const sp_meaning *m,
                    call_form form) {
  arguments x = {.w = w, .node = node, .m = m};
  x.used = sp_alloc_n(w->ctx, node->n_attrs + 1u, sizeof *x.used);
  sp_attr meaning = {.name = sp_intern(w->ctx, "=meaning", 8),
                     .kind = SP_ATTR_MEANING,
                     .u.meaning = m};
  sp_push(w->ctx, &x.attrs, meaning);
  if (form == FORM_HLO) {
    give_hlo(&x);
  } else {
    give_call(&x, form);
  }
  check_arguments(&x);
  node->op = sp_intern(w->ctx, SP_MEANING_OP, strlen(SP_MEANING_OP));
  node->attrs = x.attrs.v;
  node->n_attrs = (uint32_t)x.attrs.n;
}

/* ---- dropout ---- */

/* The number at a position, or under its keyword, as another one. */
static void set_number(rewrite *w, sp_node *node, const char *position,
                       const char *keyword, double value) {
  sp_attr *attrs = sp_alloc_n(w->ctx, node->n_attrs + 1u, sizeof *attrs);
  sp_attr *number = NULL;
  uint32_t n = node->n_attrs;
  for (uint32_t i = 0; i < n; i++) {
    attrs[i] = node->attrs[i];
    if (strcmp(attrs[i].name, position) == 0 ||
        strcmp(attrs[i].name, keyword) == 0) {
      number = &attrs[i];
    }
  }
  if (!number) {
    number = &attrs[n++];
    number->name = sp_intern(w->ctx, keyword, strlen(keyword));
  }
  number->kind = SP_ATTR_FLOAT;
  number->u.f = value;
  number->n = 0;
  node->attrs = attrs;
  node->n_attrs = n;
}

/* Dropping with probability 0 is the identity with a mask of ones, and its
 * gradient is scaled by 1. */
static void keep_all(rewrite *w, sp_node *node) {
  static const char *const forward[] = {"aten.native_dropout.default",
                                        "aten.dropout.default", "torch.dropout",
                                        "torch.nn.functional.dropout"};
  bool is = false;
  for (size_t i = 0; i < sizeof forward / sizeof *forward; i++) {
    is = is || strcmp(node->op, forward[i]) == 0;
  }
  if (is) {
    set_number(w, node, "arg1", "p", 0);
  } else if (strcmp(node->op, "aten.native_dropout_backward.default") == 0) {
    set_number(w, node, "arg2", "scale", 1);
  } else {
    return;
  }
  note(w, "dropout is the identity (given)");
}

const sp_program *sp_spec_operators(sp_ctx *ctx, const sp_spec *spec,
                                    const sp_program *p, sp_spec_notes *notes) {
  rewrite w = {.ctx = ctx, .spec = spec, .program = p, .notes = notes};
  sp_node *nodes = sp_alloc_n(ctx, p->n_nodes + 1u, sizeof *nodes);
  if (p->n_nodes) {
    memcpy(nodes, p->nodes, p->n_nodes * sizeof *nodes);
  }
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    call_form form;
    const char *op = key_of(&nodes[i], &form);
    const sp_meaning *m = meaning_for(&w, &nodes[i], op, form);
    if (m) {
      replace(&w, &nodes[i], m, form);
    } else if (spec->dropout_identity) {
      keep_all(&w, &nodes[i]);
    }
  }
  sp_program *out = sp_alloc(ctx, sizeof *out);
  *out = *p;
  out->nodes = nodes;
  return out;
}
