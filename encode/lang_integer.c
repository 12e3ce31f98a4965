/* lang_integer.c: values of expressions over integers (sp_lang_integer). */
#include "encode/lang.h"

#include "base/arith.h"

#include <string.h>

static int64_t int_value(sp_ctx *ctx, const sp_lang *e,
                         const sp_lang_scope *scope);

static noreturn void too_large(sp_ctx *ctx, const sp_lang *e) {
  sp_lang_fail(ctx, e->loc, NULL, "the value does not fit 64 bits");
}

static int64_t int_power(sp_ctx *ctx, const sp_lang *e, int64_t a, int64_t b) {
  int64_t out = 1;
  if (b < 0 || b > 64) {
    sp_lang_fail(ctx, e->loc, NULL, "a power of %lld", (long long)b);
  }
  for (int64_t i = 0; i < b; i++) {
    if (!sp_mul_ok(out, a, &out)) {
      too_large(ctx, e);
    }
  }
  return out;
}

static int64_t int_divide(sp_ctx *ctx, const sp_lang *e, int64_t a, int64_t b) {
  if (b <= 0) {
    sp_lang_fail(ctx, e->loc, NULL, "a division by %lld", (long long)b);
  }
  if (e->op == SP_LANG_OVER && a % b != 0) {
    sp_lang_fail(ctx, e->loc, "write div to round down",
                 "%lld / %lld is no integer", (long long)a, (long long)b);
  }
  return e->op == SP_LANG_MOD ? sp_floor_mod(a, b) : sp_floor_div(a, b);
}

static int64_t int_binary(sp_ctx *ctx, const sp_lang *e, int64_t a, int64_t b) {
  int64_t out = 0;
  bool ok = true;
  switch (e->op) {
  case SP_LANG_ADD:
    ok = sp_add_ok(a, b, &out);
    break;
  case SP_LANG_SUB:
    ok = sp_sub_ok(a, b, &out);
    break;
  case SP_LANG_MUL:
    ok = sp_mul_ok(a, b, &out);
    break;
  case SP_LANG_OVER:
  case SP_LANG_DIV:
  case SP_LANG_MOD:
    out = int_divide(ctx, e, a, b);
    break;
  case SP_LANG_POWER:
    out = int_power(ctx, e, a, b);
    break;
  case SP_LANG_LT:
    out = a < b;
    break;
  case SP_LANG_LE:
    out = a <= b;
    break;
  case SP_LANG_GT:
    out = a > b;
    break;
  case SP_LANG_GE:
    out = a >= b;
    break;
  case SP_LANG_EQ:
    out = a == b;
    break;
  case SP_LANG_NE:
    out = a != b;
    break;
  case SP_LANG_AND:
    out = a && b;
    break;
  case SP_LANG_OR:
    out = a || b;
    break;
  }
  if (!ok) {
    too_large(ctx, e);
  }
  return out;
}

/* ceil(a / b), floor(a / b) */
static int64_t int_rounded(sp_ctx *ctx, const sp_lang *e,
                           const sp_lang_scope *scope) {
  const sp_lang *q = e->n == 1 ? e->args[0] : e;
  if (q->kind != SP_LANG_BINARY || q->op != SP_LANG_OVER) {
    sp_lang_fail(ctx, e->loc, "write it as ceil(a / b)",
                 "%s of integers is of a quotient", e->name);
  }
  int64_t a = int_value(ctx, q->args[0], scope);
  int64_t b = int_value(ctx, q->args[1], scope);
  if (b <= 0) {
    sp_lang_fail(ctx, q->loc, NULL, "a division by %lld", (long long)b);
  }
  int64_t down = sp_floor_div(a, b);
  return down + (e->name[0] == 'c' && sp_floor_mod(a, b) != 0);
}

/* max, min of numbers; quotients rounded up and down */
static int64_t int_call(sp_ctx *ctx, const sp_lang *e,
                        const sp_lang_scope *scope) {
  bool max = strcmp(e->name, "max") == 0;
  if (strcmp(e->name, "ceil") == 0 || strcmp(e->name, "floor") == 0) {
    return int_rounded(ctx, e, scope);
  }
  if ((!max && strcmp(e->name, "min") != 0) || e->n == 0 || e->n_more > 0) {
    sp_lang_fail(ctx, e->loc, "max, min, ceil and floor are there",
                 "%.60s is no function of integers", e->name);
  }
  int64_t out = int_value(ctx, e->args[0], scope);
  for (uint32_t i = 1; i < e->n; i++) {
    int64_t v = int_value(ctx, e->args[i], scope);
    out = (v > out) == max ? v : out;
  }
  return out;
}

/* The reader limits the tree's height, and so this recursion. */
static int64_t int_value(sp_ctx *ctx, const sp_lang *e,
                         const sp_lang_scope *scope) {
  int64_t v;
  switch (e->kind) {
  case SP_LANG_INT:
  case SP_LANG_TRUTH:
    return e->i;
  case SP_LANG_NAME:
    if (!scope || !scope->value(scope->user, e->name, &v)) {
      sp_lang_fail(ctx, e->loc, NULL, "nothing is called %.80s here", e->name);
    }
    return v;
  case SP_LANG_NOT:
    return !int_value(ctx, e->args[0], scope);
  case SP_LANG_NEGATE:
    if (!sp_sub_ok(0, int_value(ctx, e->args[0], scope), &v)) {
      too_large(ctx, e);
    }
    return v;
  case SP_LANG_BINARY:
    v = int_value(ctx, e->args[0], scope);
    return int_binary(ctx, e, v, int_value(ctx, e->args[1], scope));
  case SP_LANG_IF:
    v = int_value(ctx, e->args[0], scope);
    return int_value(ctx, e->args[v ? 1 : 2], scope);
  case SP_LANG_CALL:
    return int_call(ctx, e, scope);
  case SP_LANG_REAL:
  case SP_LANG_STRING:
  case SP_LANG_SPREAD:
  case SP_LANG_LIST:
  case SP_LANG_READ:
  case SP_LANG_AXIS:
  case SP_LANG_BIND:
    break;
  }
  sp_lang_fail(ctx, e->loc, NULL, "an integer is needed here");
}

int64_t sp_lang_integer(sp_ctx *ctx, const sp_lang *e,
                        const sp_lang_scope *scope) {
  return int_value(ctx, e, scope);
}
