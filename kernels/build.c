/* build.c: one constructor a form. */
#include "kernels/build.h"

#include <string.h>

static sp_lang *make(spi_build b, sp_lang_kind kind) {
  sp_lang *e = sp_alloc(b.ctx, sizeof *e);
  e->kind = kind;
  e->loc = b.loc;
  e->name = "";
  return e;
}

static void set_args(spi_build b, sp_lang *e, uint32_t n,
                     const sp_lang *const *args) {
  const sp_lang **copy = sp_alloc_n(b.ctx, n + 1u, sizeof *copy);
  for (uint32_t i = 0; i < n; i++) {
    copy[i] = args[i];
    e->height =
        args[i]->height + 1 > e->height ? args[i]->height + 1 : e->height;
  }
  e->n = n;
  e->args = copy;
}

const sp_lang *spi_b_int(spi_build b, int64_t v) {
  sp_lang *e = make(b, SP_LANG_INT);
  e->i = v;
  return e;
}

const sp_lang *spi_b_zero(spi_build b, sp_dtype type) {
  return make(b, type == SP_PRED ? SP_LANG_TRUTH : SP_LANG_INT);
}

const sp_lang *spi_b_name(spi_build b, const char *name) {
  sp_lang *e = make(b, SP_LANG_NAME);
  e->name = name;
  return e;
}

const sp_lang *spi_b_axis(spi_build b, const char *name) {
  sp_lang *e = make(b, SP_LANG_AXIS);
  e->name = name;
  return e;
}

const sp_lang *spi_b_binary(spi_build b, sp_lang_op op, const sp_lang *x,
                            const sp_lang *y) {
  sp_lang *e = make(b, SP_LANG_BINARY);
  const sp_lang *args[] = {x, y};
  e->op = op;
  set_args(b, e, 2, args);
  return e;
}

const sp_lang *spi_b_with(spi_build b, sp_lang_op op, const sp_lang *x,
                          int64_t v) {
  bool sum = op == SP_LANG_ADD || op == SP_LANG_SUB;
  bool scale = op == SP_LANG_MUL || op == SP_LANG_DIV;
  if ((sum && v == 0) || (scale && v == 1)) {
    return x;
  }
  return spi_b_binary(b, op, x, spi_b_int(b, v));
}

const sp_lang *spi_b_if(spi_build b, const sp_lang *c, const sp_lang *x,
                        const sp_lang *y) {
  sp_lang *e = make(b, SP_LANG_IF);
  const sp_lang *args[] = {c, x, y};
  set_args(b, e, 3, args);
  return e;
}

const sp_lang *spi_b_read(spi_build b, const char *name, uint32_t n_at,
                          const sp_lang_var *at, uint32_t n,
                          const sp_lang *const *args) {
  sp_lang *e = make(b, SP_LANG_READ);
  e->name = name;
  e->n_vars = n_at;
  e->vars = at;
  set_args(b, e, n, args);
  return e;
}

const sp_lang *spi_b_reduce(spi_build b, const char *op, uint32_t n,
                            const sp_lang_var *vars, const sp_lang *body) {
  sp_lang *e = make(b, SP_LANG_BIND);
  e->name = op;
  e->n_vars = n;
  e->vars = vars;
  set_args(b, e, 1, &body);
  return e;
}

const char *spi_b_variable(spi_build b, const char *prefix, uint32_t i) {
  const char *text = sp_format(b.ctx, "$%s%u", prefix, i);
  return sp_intern(b.ctx, text, strlen(text));
}
