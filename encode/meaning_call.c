/* meaning_call.c: calls and reductions in formulas. Read spi_form_call and
 * spi_form_reduction; what they choose from comes before. */
#include "encode/meaning_term.h"

#include <string.h>

static spi_formed flat(spi_forming *t, const sp_lang *e) {
  spi_terms idx = spi_form_ints(t, e, e->n, e->args);
  uint32_t n;
  const int64_t *dims =
      spi_sizes_list(&t->sizes, e->n_more, e->args + e->n, &n);
  if (idx.n != n) {
    spi_form_wrong(t, e, "as many indices as sizes expected");
  }
  return spi_of(n ? sp_flatten(t->p, n, dims, idx.v) : sp_int(t->p, 0));
}

static spi_formed unflat(spi_forming *t, const sp_lang *e) {
  sp_expr x = spi_form_int(t, e->args[0]);
  uint32_t n;
  const int64_t *dims =
      spi_sizes_list(&t->sizes, e->n_more, e->args + e->n, &n);
  if (n > SP_MAX_DIMS) {
    spi_form_wrong(t, e, "too many sizes");
  }
  sp_expr *v = sp_alloc_n(t->ctx, n + 1u, sizeof *v);
  for (uint32_t i = 0; i < n; i++) {
    if (dims[i] < 1) {
      spi_form_wrong(t, e, "a size of 0");
    }
  }
  sp_unflatten(t->p, x, n, dims, v);
  return (spi_formed){.kind = SPI_LIST, .n = n, .v = v};
}

static spi_formed extremum(spi_forming *t, const sp_lang *e) {
  sp_expr a = spi_form_term(t, e->args[0]);
  for (uint32_t i = 1; i < e->n; i++) {
    sp_expr b = spi_form_term(t, e->args[i]);
    if (spi_join_sorts(t, e, &a, &b) == SP_SORT_BOOL) {
      spi_form_wrong(t, e, "conditions have no order");
    }
    a = strcmp(e->name, "max") == 0 ? sp_max(t->p, a, b) : sp_min(t->p, a, b);
  }
  return spi_of(a);
}

/* opaque("name", args): a function of which nothing else is known. */
static spi_formed opaque(spi_forming *t, const sp_lang *e) {
  spi_formed name = spi_form(t, e->args[0]);
  if (name.kind != SPI_TEXT) {
    spi_form_wrong(t, e, "the name of an opaque function is a text");
  }
  sp_str text = {0};
  /* of a kernel's function any interpretation is a counterexample */
  sp_str_addf(t->ctx, &text, "%s:%s", t->m->exact ? "func" : "opaque",
              name.text);
  spi_terms args = {0};
  for (uint32_t i = 1; i < e->n; i++) {
    if (e->args[i]->kind == SP_LANG_SPREAD) {
      spi_form_append(t, e->args[i], &args);
      continue;
    }
    spi_formed v = spi_form(t, e->args[i]);
    if (v.kind == SPI_TEXT) {
      sp_str_addf(t->ctx, &text, ":%s", v.text);
    } else if (v.kind == SPI_TERM) {
      sp_push(t->ctx, &args, v.e);
    } else {
      spi_form_wrong(t, e->args[i], "write * before a list");
    }
  }
  const char *interned = sp_intern(t->ctx, text.v, text.n);
  return spi_of(sp_fn(t->p, SP_SORT_REAL, interned, (uint32_t)args.n, args.v));
}

static sp_expr gelu(sp_pool *p, sp_expr a) {
  sp_num half = sp_num_ratio(p, 1, 2);
  sp_expr root = sp_fn1(p, "sqrt", sp_real(p, half));
  sp_expr erf = sp_fn1(p, "erf", sp_mul(p, a, root));
  return sp_scale(p, sp_mul(p, a, sp_add(p, sp_real_i64(p, 1), erf)), half);
}

static spi_formed real_function(spi_forming *t, const sp_lang *e) {
  sp_expr a = spi_form_real(t, e->args[0]);
  sp_pool *p = t->p;
  if (strcmp(e->name, "real") == 0) {
    return spi_of(a);
  }
  if (strcmp(e->name, "exp") == 0) {
    return spi_of(sp_exp(p, a));
  }
  if (strcmp(e->name, "relu") == 0) {
    return spi_of(sp_max(p, a, sp_real_i64(p, 0)));
  }
  if (strcmp(e->name, "silu") == 0) {
    return spi_of(sp_mul(p, a, sp_fn1(p, "logistic", a)));
  }
  if (strcmp(e->name, "gelu") == 0) {
    return spi_of(gelu(p, a));
  }
  bool sigmoid = strcmp(e->name, "sigmoid") == 0;
  return spi_of(sp_fn1(p, sigmoid ? "logistic" : e->name, a));
}

spi_formed spi_form_call(spi_forming *t, const sp_lang *e) {
  const sp_meaning_statement *s = spi_form_statement(t, e->name);
  if (s) {
    spi_terms args = spi_form_list(t, e->n, e->args);
    return spi_form_apply(t, s, e, (uint32_t)args.n, args.v);
  }
  if (spi_sizes_known(&t->sizes, e)) {
    return spi_of(sp_int(t->p, spi_sizes_value(&t->sizes, e)));
  }
  if (strcmp(e->name, "flat") == 0) {
    return flat(t, e);
  }
  if (strcmp(e->name, "unflat") == 0) {
    return unflat(t, e);
  }
  if (strcmp(e->name, "max") == 0 || strcmp(e->name, "min") == 0) {
    return extremum(t, e);
  }
  if (strcmp(e->name, "opaque") == 0) {
    return opaque(t, e);
  }
  return real_function(t, e);
}

/* ---- reductions ---- */

static sp_red_op red_op(const sp_lang *e) {
  static const struct {
    const char *name;
    sp_red_op op;
  } ops[] = {
      {"sum", SP_RED_SUM}, {"prod", SP_RED_PROD}, {"max", SP_RED_MAX},
      {"min", SP_RED_MIN}, {"any", SP_RED_OR},    {"all", SP_RED_AND},
  };
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    if (strcmp(ops[i].name, e->name) == 0) {
      return ops[i].op;
    }
  }
  return SP_RED_LAMBDA;
}

/* Fresh variables for those of a binder, bound to their names. */
static spi_terms open_binder(spi_forming *t, const sp_lang *e) {
  spi_terms vars = {0};
  for (uint32_t i = 0; i < e->n_vars; i++) {
    const sp_lang_var *v = &e->vars[i];
    const sp_lang spread = {
        .kind = SP_LANG_SPREAD, .loc = v->loc, .n = 1, .args = &v->size};
    const sp_lang *size = v->spread ? &spread : v->size;
    uint32_t n;
    const int64_t *dims = spi_sizes_list(&t->sizes, 1, &size, &n);
    sp_expr *list = sp_alloc_n(t->ctx, n + 1u, sizeof *list);
    for (uint32_t k = 0; k < n; k++) {
      if (dims[k] < 0 || dims[k] >= SP_MAX_ELEMENTS) {
        spi_form_wrong(t, e, "a variable of a negative or huge size");
      }
      list[k] = sp_fresh(t->p, dims[k]);
      sp_push(t->ctx, &vars, list[k]);
    }
    spi_form_bind(t, v->name,
                  v->spread ? (spi_formed){.kind = SPI_LIST, .n = n, .v = list}
                            : spi_of(list[0]));
  }
  return vars;
}

/* The first position with the largest (smallest) value. */
static spi_formed position(spi_forming *t, const sp_lang *e) {
  sp_pool *p = t->p;
  if (e->n_vars != 1 || e->vars[0].spread) {
    spi_form_wrong(t, e, "argmax and argmin go over one variable");
  }
  const spi_binding *was = t->local;
  sp_expr k = open_binder(t, e).v[0];
  sp_expr best = spi_form_real(t, e->args[0]);
  t->local = was;
  bool max = strcmp(e->name, "argmax") == 0;
  best = sp_red(p, max ? SP_RED_MAX : SP_RED_MIN, 1, &k, best);
  int64_t last = sp_var_extent(p, k) - 1;
  k = open_binder(t, e).v[0];
  sp_expr hit = sp_eq(p, spi_form_real(t, e->args[0]), best);
  t->local = was;
  return spi_of(
      sp_red(p, SP_RED_MIN, 1, &k, sp_ite(p, hit, k, sp_int(p, last))));
}

spi_formed spi_form_reduction(spi_forming *t, const sp_lang *e) {
  if (strncmp(e->name, "arg", 3) == 0) {
    return position(t, e);
  }
  const spi_binding *was = t->local;
  spi_terms vars = open_binder(t, e);
  sp_red_op op = red_op(e);
  bool logic = op == SP_RED_OR || op == SP_RED_AND;
  sp_expr body =
      logic ? spi_form_bool(t, e->args[0]) : spi_form_term(t, e->args[0]);
  if (!logic && op != SP_RED_LAMBDA && sp_sort_of(t->p, body) == SP_SORT_BOOL) {
    spi_form_wrong(t, e, "a number expected, not a condition");
  }
  t->local = was;
  if (vars.n == 0) {
    return spi_of(body);
  }
  if (vars.n > SP_MAX_DIMS) {
    spi_form_wrong(t, e, "too many variables");
  }
  return spi_of(sp_red(t->p, op, (uint32_t)vars.n, vars.v, body));
}
