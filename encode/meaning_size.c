/* meaning_size.c: sizes in the signature of a custom operator, bound from the
 * shapes that a node has. Read spi_sizes_bind, which goes over the parameters
 * until nothing more is learnt. */
#include "encode/meaning_i.h"

#include "base/arith.h"
#include "base/vec.h"

#include <string.h>

const sp_meaning *spi_meaning_of(const sp_node *node) {
  for (uint32_t i = 0; i < node->n_attrs; i++) {
    if (node->attrs[i].kind == SP_ATTR_MEANING) {
      return node->attrs[i].u.meaning;
    }
  }
  return NULL;
}

static noreturn void misfit(const spi_sizes *s, const char *text) {
  sp_raise(s->ctx, SP_ERR_INPUT, s->node->pos.dump,
           sp_format(s->ctx, "correct its meaning, %s:%u",
                     s->meaning->loc.file ? s->meaning->loc.file : "",
                     s->meaning->loc.line),
           "%s (%s) does not fit its meaning: %s", s->node->name,
           s->meaning->name, text);
}

const spi_size *spi_sizes_find(const spi_sizes *s, const char *name) {
  for (uint32_t i = 0; i < s->n; i++) {
    if (strcmp(s->v[i].name, name) == 0) {
      return &s->v[i];
    }
  }
  return NULL;
}

/* ---- values ---- */

static bool size_value(void *user, const char *name, int64_t *out) {
  const spi_size *x = spi_sizes_find(user, name);
  if (!x || x->list) {
    return false;
  }
  *out = x->v[0];
  return true;
}

static int64_t product(const spi_sizes *s, const sp_lang *e) {
  uint32_t n;
  const int64_t *v = spi_sizes_list(s, e->n, e->args, &n);
  int64_t out = 1;
  for (uint32_t i = 0; i < n; i++) {
    if (!sp_mul_ok(out, v[i], &out)) {
      misfit(s, "a size does not fit 64 bits");
    }
  }
  return out;
}

static bool is_size(const sp_lang *e) {
  return e->kind == SP_LANG_CALL && strcmp(e->name, "size") == 0;
}

/* size(...) may stand alone or in sums and products. */
static const sp_lang *without_size(const spi_sizes *s, const sp_lang *e) {
  if (is_size(e)) {
    sp_lang *v = sp_alloc(s->ctx, sizeof *v);
    *v = (sp_lang){.kind = SP_LANG_INT, .loc = e->loc, .i = product(s, e)};
    return v;
  }
  if (e->kind != SP_LANG_BINARY && e->kind != SP_LANG_NEGATE) {
    return e;
  }
  sp_lang *copy = sp_alloc(s->ctx, sizeof *copy);
  const sp_lang **args = sp_alloc_n(s->ctx, e->n, sizeof *args);
  *copy = *e;
  for (uint32_t i = 0; i < e->n; i++) {
    args[i] = without_size(s, e->args[i]);
  }
  copy->args = args;
  return copy;
}

/* A quotient of sizes without a remainder. */
static bool is_exact(const spi_sizes *s, const sp_lang *e) {
  int64_t b = spi_sizes_value(s, e->args[1]);
  return b > 0 && spi_sizes_value(s, e->args[0]) % b == 0;
}

/* ceil(a / b), floor(a / b) of sizes */
static bool is_rounded(const spi_sizes *s, const sp_lang *e) {
  if (strcmp(e->name, "ceil") != 0 && strcmp(e->name, "floor") != 0) {
    return false;
  }
  const sp_lang *q = e->args[0];
  return q->kind == SP_LANG_BINARY && q->op == SP_LANG_OVER &&
         spi_sizes_known(s, q->args[0]) && spi_sizes_known(s, q->args[1]) &&
         spi_sizes_value(s, q->args[1]) > 0;
}

bool spi_sizes_known(const spi_sizes *s, const sp_lang *e) {
  switch (e->kind) {
  case SP_LANG_INT:
    return true;
  case SP_LANG_NAME:
    return spi_sizes_find(s, e->name) && !spi_sizes_find(s, e->name)->list;
  case SP_LANG_BINARY:
    return spi_sizes_known(s, e->args[0]) && spi_sizes_known(s, e->args[1]) &&
           (e->op != SP_LANG_OVER || is_exact(s, e));
  case SP_LANG_NEGATE:
    return spi_sizes_known(s, e->args[0]);
  case SP_LANG_CALL:
    return is_size(e) || is_rounded(s, e);
  case SP_LANG_REAL:
  case SP_LANG_TRUTH:
  case SP_LANG_STRING:
  case SP_LANG_SPREAD:
  case SP_LANG_LIST:
  case SP_LANG_READ:
  case SP_LANG_AXIS:
  case SP_LANG_BIND:
  case SP_LANG_NOT:
  case SP_LANG_IF:
    break;
  }
  return false;
}

int64_t spi_sizes_value(const spi_sizes *s, const sp_lang *e) {
  if (e->kind == SP_LANG_INT) {
    return e->i;
  }
  sp_lang_scope scope = {size_value, (void *)(uintptr_t)s};
  return sp_lang_integer(s->ctx, without_size(s, e), &scope);
}

const int64_t *spi_sizes_list(const spi_sizes *s, uint32_t n,
                              const sp_lang *const *items, uint32_t *count) {
  SP_VEC(int64_t) out = {0};
  for (uint32_t i = 0; i < n; i++) {
    const sp_lang *e = items[i];
    if (e->kind != SP_LANG_SPREAD) {
      sp_push(s->ctx, &out, spi_sizes_value(s, e));
      continue;
    }
    const spi_size *x = e->args[0]->kind == SP_LANG_NAME
                            ? spi_sizes_find(s, e->args[0]->name)
                            : NULL;
    if (!x || !x->list) {
      sp_lang_fail(s->ctx, e->loc, NULL,
                   "* of something that is no list of "
                   "sizes");
    }
    for (uint32_t k = 0; k < x->n; k++) {
      sp_push(s->ctx, &out, x->v[k]);
    }
  }
  *count = (uint32_t)out.n;
  return out.v;
}

/* ---- binding ---- */

static void bind(spi_sizes *s, const char *name, bool list, uint32_t n,
                 const int64_t *v) {
  s->v[s->n++] = (spi_size){name, list, n, v};
}

uint32_t spi_meaning_operand(const spi_sizes *s, const sp_meaning_param *q) {
  const sp_attr *a = sp_node_attr(s->node, q->name);
  if (!a || a->kind != SP_ATTR_OPERAND || a->u.i < 0 ||
      a->u.i >= s->node->n_in) {
    misfit(s, sp_format(s->ctx, "%s is no tensor", q->name));
  }
  return (uint32_t)a->u.i;
}

static bool is_bound(const spi_sizes *s, const sp_lang *d) {
  const sp_lang *name = d->kind == SP_LANG_SPREAD ? d->args[0] : d;
  return name->kind != SP_LANG_NAME || spi_sizes_find(s, name->name);
}

/* Sizes before and after the one list of unknown length are fixed. False when
 * there are two such lists. */
static bool bind_param(spi_sizes *s, const sp_meaning_param *q) {
  const sp_shape *shape =
      spi_in(s->program, s->node, spi_meaning_operand(s, q));
  uint32_t fixed = 0, open = 0;
  for (uint32_t i = 0; i < q->n_dims; i++) {
    const sp_lang *d = q->dims[i];
    if (d->kind != SP_LANG_SPREAD) {
      fixed++;
    } else if (is_bound(s, d)) {
      fixed += spi_sizes_find(s, d->args[0]->name)->n;
    } else {
      open++;
    }
  }
  if (open > 1) {
    return false;
  }
  if (shape->n_dims < fixed || (open == 0 && shape->n_dims != fixed)) {
    misfit(s, sp_format(s->ctx, "%s has %u dimensions, %s%u expected", q->name,
                        shape->n_dims, open ? "at least " : "", fixed));
  }
  uint32_t at = 0;
  for (uint32_t i = 0; i < q->n_dims; i++) {
    const sp_lang *d = q->dims[i];
    if (d->kind == SP_LANG_SPREAD) {
      const char *name = d->args[0]->name;
      if (!is_bound(s, d)) {
        bind(s, name, true, shape->n_dims - fixed, shape->dims + at);
      }
      at += spi_sizes_find(s, name)->n;
    } else {
      if (!is_bound(s, d)) {
        bind(s, d->name, false, 1, shape->dims + at);
      }
      at++;
    }
  }
  return true;
}

/* Numbers that are the same on all ranks may stand for sizes, too. */
static void bind_number(spi_sizes *s, const sp_meaning_param *q) {
  const sp_attr *a = sp_node_attr(s->node, q->name);
  if (q->kind == SP_MEANING_LIST) {
    if (!a || (a->kind != SP_ATTR_INTS && a->kind != SP_ATTR_INT)) {
      misfit(s, sp_format(s->ctx, "%s is no list of integers", q->name));
    }
    bool one = a->kind == SP_ATTR_INT;
    bind(s, q->name, true, one ? 1 : (uint32_t)a->n, one ? &a->u.i : a->u.ints);
  } else if (q->kind == SP_MEANING_INT) {
    if (a && a->kind == SP_ATTR_INT) {
      bind(s, q->name, false, 1, &a->u.i);
    } else if (!a && q->absent && q->absent->kind == SP_LANG_INT) {
      bind(s, q->name, false, 1, &q->absent->i);
    }
  }
}

static void check_param(const spi_sizes *s, const sp_meaning_param *q) {
  const sp_shape *shape =
      spi_in(s->program, s->node, spi_meaning_operand(s, q));
  uint32_t n;
  const int64_t *v = spi_sizes_list(s, q->n_dims, q->dims, &n);
  for (uint32_t d = 0; d < n; d++) {
    if (d >= shape->n_dims || v[d] != shape->dims[d]) {
      misfit(s, sp_format(s->ctx,
                          "dimension %u of %s has size %lld, %lld "
                          "expected",
                          d, q->name,
                          (long long)(d < shape->n_dims ? shape->dims[d] : 0),
                          (long long)v[d]));
    }
  }
}

static uint32_t count_names(const sp_meaning *m) {
  uint32_t n = m->n_params;
  for (uint32_t i = 0; i < m->n_params; i++) {
    n += m->params[i].n_dims;
  }
  return n + 1;
}

void spi_sizes_bind(spi_sizes *s, sp_ctx *ctx, const sp_program *program,
                    const sp_node *node) {
  const sp_meaning *m = spi_meaning_of(node);
  *s = (spi_sizes){.ctx = ctx, .program = program, .node = node, .meaning = m};
  s->v = sp_alloc_n(ctx, count_names(m), sizeof *s->v);
  bool *done = sp_alloc_n(ctx, m->n_params + 1u, sizeof *done);
  for (uint32_t i = 0; i < m->n_params; i++) {
    bind_number(s, &m->params[i]);
  }
  uint32_t left = m->n_params;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < m->n_params; i++) {
      const sp_meaning_param *q = &m->params[i];
      if (!done[i] && (q->kind != SP_MEANING_TENSOR || bind_param(s, q))) {
        done[i] = more = true;
        left--;
      }
    }
  }
  if (left > 0) {
    misfit(s, "two lists of sizes in one shape cannot be told apart");
  }
  for (uint32_t i = 0; i < m->n_params; i++) {
    if (m->params[i].kind == SP_MEANING_TENSOR) {
      check_param(s, &m->params[i]);
    }
  }
}
