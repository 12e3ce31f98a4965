/* show.c: terms as text: infix arithmetic, reads as T[i, j], reductions as
 * sum(k<8) body. Shared subterms are printed again each time, so long texts are
 * cut.
 */
#include "encode/pool.h"

#include <inttypes.h>

enum { SHOW_MAX = 20000 };

typedef struct out {
  sp_pool *p;
  sp_str s;
} out;

static void show(out *o, sp_expr e);

static void put(out *o, const char *text) {
  sp_str_add(o->p->ctx, &o->s, text);
}

static void put_i64(out *o, int64_t v) {
  sp_str_addf(o->p->ctx, &o->s, "%" PRId64, v);
}

static void show_list(out *o, uint32_t n, const sp_expr *args,
                      const char *between) {
  for (uint32_t i = 0; i < n; i++) {
    put(o, i ? between : "");
    show(o, args[i]);
  }
}

static void show_lin(out *o, const spi_node_t *d) {
  put(o, "(");
  for (uint32_t i = 0; i < d->n; i++) {
    int64_t k = d->coefs.lin[i];
    if (i) {
      put(o, k < 0 && k != INT64_MIN ? " - " : " + ");
      k = k < 0 && k != INT64_MIN ? -k : k;
    }
    if (k == -1) {
      put(o, "-");
    } else if (k != 1) {
      put_i64(o, k);
      put(o, "*");
    }
    show(o, d->args[i]);
  }
  if (d->payload > 0) {
    put(o, " + ");
    put_i64(o, d->payload);
  } else if (d->payload < 0) {
    sp_str_addf(o->p->ctx, &o->s, " - %" PRIu64, 0 - (uint64_t)d->payload);
  }
  put(o, ")");
}

static void show_add(out *o, const spi_node_t *d) {
  put(o, "(");
  for (uint32_t i = 0; i < d->n; i++) {
    put(o, i ? " + " : "");
    if (!sp_num_eq(d->coefs.add[i], SPI_NUM_ONE)) {
      put(o, sp_num_text(o->p, d->coefs.add[i]));
      put(o, "*");
    }
    show(o, d->args[i]);
  }
  if (d->payload != SPI_NUM_ZERO.v) {
    put(o, d->n ? " + " : "");
    put(o, sp_num_text(o->p, (sp_num){(uint32_t)d->payload}));
  }
  put(o, ")");
}

static const char *red_name(sp_red_op op) {
  switch (op) {
  case SP_RED_SUM:
    return "sum";
  case SP_RED_PROD:
    return "prod";
  case SP_RED_MAX:
    return "max";
  case SP_RED_MIN:
    return "min";
  case SP_RED_OR:
    return "any";
  case SP_RED_AND:
    return "all";
  case SP_RED_LAMBDA:
    break;
  }
  return "lambda";
}

static void show_red(out *o, sp_expr e, const spi_node_t *d) {
  put(o, red_name(sp_red_op_of(o->p, e)));
  put(o, "(");
  for (uint32_t i = 0; i + 1 < d->n; i++) {
    put(o, i ? ", " : "");
    show(o, d->args[i]);
    put(o, "<");
    put_i64(o, sp_var_extent(o->p, d->args[i]));
  }
  put(o, "; ");
  show(o, d->args[d->n - 1]);
  put(o, ")");
}

/* Before, between and after the arguments. */
static void show_with(out *o, const spi_node_t *d, const char *before,
                      const char *between, const char *after) {
  put(o, before);
  show_list(o, d->n, d->args, between);
  put(o, after);
}

static void show_digit(out *o, const spi_node_t *d, const char *op) {
  put(o, "(");
  show(o, d->args[0]);
  put(o, op);
  put_i64(o, d->payload);
  put(o, ")");
}

static void show_call(out *o, const spi_node_t *d, const char *name) {
  put(o, name);
  show_with(o, d, "(", ", ", ")");
}

static void show_node(out *o, sp_expr e, const spi_node_t *d) {
  sp_pool *p = o->p;
  switch ((sp_kind)d->kind) {
  case SP_KIND_INT:
    put_i64(o, d->payload);
    break;
  case SP_KIND_VAR:
    put(o, sp_var_name(p, e));
    break;
  case SP_KIND_LIN:
    show_lin(o, d);
    break;
  case SP_KIND_DIV:
    show_digit(o, d, " div ");
    break;
  case SP_KIND_MOD:
    show_digit(o, d, " mod ");
    break;
  case SP_KIND_READ:
    put(o, sp_sym_name(p, sp_read_sym(p, e)));
    show_with(o, d, "[", ", ", "]");
    break;
  case SP_KIND_ITE:
    show_call(o, d, "ite");
    break;
  case SP_KIND_MAX:
    show_call(o, d, "max");
    break;
  case SP_KIND_MIN:
    show_call(o, d, "min");
    break;
  case SP_KIND_FN:
    if (d->n == 0) {
      put(o, sp_fn_name(p, e)); /* nan */
    } else {
      show_call(o, d, sp_fn_name(p, e));
    }
    break;
  case SP_KIND_RED:
    show_red(o, e, d);
    break;
  case SP_KIND_NUM:
    put(o, sp_num_text(p, sp_num_value(p, e)));
    break;
  case SP_KIND_INF:
    put(o, d->payload ? "-inf" : "inf");
    break;
  case SP_KIND_ADD:
    show_add(o, d);
    break;
  case SP_KIND_MUL:
    show_with(o, d, "(", " * ", ")");
    break;
  case SP_KIND_I2R:
    show_call(o, d, "real");
    break;
  case SP_KIND_BOOL:
    put(o, d->payload ? "true" : "false");
    break;
  case SP_KIND_LT0:
    show_with(o, d, "(", "", " < 0)");
    break;
  case SP_KIND_EQ0:
    show_with(o, d, "(", "", " = 0)");
    break;
  case SP_KIND_RLT:
    show_with(o, d, "(", " < ", ")");
    break;
  case SP_KIND_REQ:
    show_with(o, d, "(", " = ", ")");
    break;
  case SP_KIND_NOT:
    show_call(o, d, "not");
    break;
  case SP_KIND_OR:
    show_with(o, d, "(", " or ", ")");
    break;
  }
}

static void show(out *o, sp_expr e) {
  if (o->s.n < SHOW_MAX) {
    show_node(o, e, spi_get(o->p, e));
  }
}

const char *sp_show(sp_pool *p, sp_expr e) {
  out o = {.p = p};
  if (e.v == 0) {
    return "(none)";
  }
  show(&o, e);
  if (o.s.n >= SHOW_MAX) {
    put(&o, " ...");
  }
  return o.s.v;
}
