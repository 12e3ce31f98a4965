/* abstract.c: read spi_abstract_obligation, then encode (the walk) and build
 * (one term from the terms of its arguments; reads are in abstract_read.c). The
 * walk is iterative: a term stays on the stack until what it needs has been
 * built.
 */
#include "encode/abstract_i.h"

#include <string.h>
#include <xxhash.h>

#include "encode/product_facts.h"

enum {
  SIZE_LIMIT = 1 << 20, /* words of a formula */
  NOTE_LIMIT = 300,     /* bytes of a note */
};

spi_abstract *spi_abstract_new(sp_pool *p) {
  spi_abstract *a = sp_alloc(p->ctx, sizeof *a);
  a->p = p;
  a->ctx = p->ctx;
  a->order = spi_order_new(p);
  a->cutter = spi_cutter_new(p, a->order);
  a->divisions = spi_divisions_new(p->ctx);
  return a;
}

static void begin(spi_abstract *a, sp_formula *f) {
  a->f = f;
  sp_formula_clear(f);
  spi_cutter_clear(a->cutter);
  spi_divisions_begin(a->divisions, f);
  a->cuts.n = 0;
  a->subjects.n = 0;
  a->work.n = 0;
  a->functions.n = 0;
  a->function_words.n = 0;
  a->args.n = 0;
  a->refusal = NULL;
  if (a->n_built < a->p->n || a->stamp == UINT32_MAX) {
    size_t n = a->n_built == 0 ? 1024 : a->n_built;
    while (n < a->p->n)
      n *= 2;
    a->built = sp_alloc_n(a->ctx, n, sizeof *a->built);
    a->n_built = n;
    for (size_t i = 0; i < a->symbols.n; i++)
      a->symbols.v[i].stamp = 0;
    a->stamp = 0;
  }
  a->stamp++;
  while (a->symbols.n < a->p->syms.n)
    sp_push(a->ctx, &a->symbols, ((symbol){0, 0}));
}

/* ---- small things ---- */

static const char *number_text(spi_abstract *a, sp_num n) {
  while (a->numbers.n <= n.v)
    sp_push(a->ctx, &a->numbers, (const char *)NULL);
  if (a->numbers.v[n.v] == NULL)
    a->numbers.v[n.v] = sp_num_text(a->p, n);
  return a->numbers.v[n.v];
}

sp_smt spi_abstract_number(spi_abstract *a, sp_num n) {
  return sp_smt_real(a->f, number_text(a, n));
}

static bool is_built(const spi_abstract *a, sp_expr e) {
  return a->built[e.v].stamp == a->stamp;
}

sp_smt spi_abstract_term(const spi_abstract *a, sp_expr e) {
  assert(is_built(a, e));
  return (sp_smt){a->built[e.v].term};
}

sp_smt spi_abstract_arg(const spi_abstract *a, sp_expr e, uint32_t i) {
  return spi_abstract_term(a, spi_get(a->p, e)->args[i]);
}

uint32_t spi_abstract_declare(spi_abstract *a, const char *stem,
                              sp_expr subject, sp_smt_sort result, uint32_t n,
                              const sp_smt_sort *args) {
  uint32_t d = sp_smt_declare(a->f, stem, result, n, args);
  while (a->subjects.n < d)
    sp_push(a->ctx, &a->subjects, (sp_expr){0});
  sp_push(a->ctx, &a->subjects, subject);
  return d;
}

static sp_smt constant(spi_abstract *a, const char *stem, sp_expr subject,
                       sp_sort sort) {
  uint32_t d =
      spi_abstract_declare(a, stem, subject, (sp_smt_sort){sort, 0}, 0, NULL);
  return sp_smt_app(a->f, d, 0, NULL);
}

/* coefficient * t, without the 1 */
static sp_smt scaled(spi_abstract *a, sp_smt coef, sp_smt one, sp_smt t) {
  return coef.v == one.v ? t : sp_smt_2(a->f, SP_SMT_MUL, coef, t);
}

sp_smt spi_abstract_scaled(spi_abstract *a, int64_t coef, sp_smt t) {
  if (coef == 1)
    return t;
  return sp_smt_2(a->f, SP_SMT_MUL, sp_smt_int(a->f, coef), t);
}

sp_smt spi_abstract_gather(spi_abstract *a, sp_smt_op op, size_t mark) {
  uint32_t n = (uint32_t)(a->args.n - mark);
  sp_smt t = a->args.v[mark];
  if (n > 1)
    t = sp_smt_n(a->f, op, n, a->args.v + mark);
  a->args.n = mark;
  return t;
}

void spi_abstract_keep(spi_abstract *a, sp_smt t) {
  sp_push(a->ctx, &a->args, t);
}

/* ---- uninterpreted functions ---- */

/* a->function_words from word on say what the function stands for, and are
 * kept if it is new. The result and argument sorts belong to the meaning, so
 * equal words have equal sorts. */
static uint32_t function_of(spi_abstract *a, uint32_t word, const char *stem,
                            sp_expr subject, sp_sort result, uint32_t n,
                            const sp_sort *sorts) {
  const uint32_t *w = a->function_words.v + word;
  uint32_t n_words = (uint32_t)a->function_words.n - word;
  uint64_t hash = XXH3_64bits(w, n_words * sizeof *w);
  for (size_t i = 0; i < a->functions.n; i++) {
    const function *fn = &a->functions.v[i];
    if (fn->hash == hash && fn->n_words == n_words &&
        memcmp(a->function_words.v + fn->word, w, n_words * sizeof *w) == 0) {
      a->function_words.n = word;
      return fn->decl;
    }
  }
  sp_mark mark = sp_scratch_mark(a->ctx);
  sp_smt_sort *domain = sp_scratch(a->ctx, (n + 1) * sizeof *domain);
  for (uint32_t i = 0; i < n; i++)
    domain[i] = (sp_smt_sort){sorts[i], 0};
  uint32_t decl = spi_abstract_declare(a, stem, subject,
                                       (sp_smt_sort){result, 0}, n, domain);
  sp_scratch_release(a->ctx, mark);
  function made = {hash, word, n_words, decl};
  sp_push(a->ctx, &a->functions, made);
  return decl;
}

static void word(spi_abstract *a, uint32_t w) {
  sp_push(a->ctx, &a->function_words, w);
}

/* MUL, FN and RED; args: a->args from mark on, with these sorts. The words of
 * the function are there from first on, without the sorts. */
static sp_smt apply(spi_abstract *a, uint32_t first, const char *stem,
                    sp_expr e, size_t mark, const sp_sort *sorts) {
  uint32_t n = (uint32_t)(a->args.n - mark);
  sp_sort result = (sp_sort)spi_get(a->p, e)->sort;
  word(a, (uint32_t)result);
  word(a, n);
  for (uint32_t i = 0; i < n; i++)
    word(a, (uint32_t)sorts[i]);
  uint32_t d = function_of(a, first, stem, e, result, n, sorts);
  sp_smt t = sp_smt_app(a->f, d, n, a->args.v + mark);
  a->args.n = mark;
  return t;
}

/* ---- indices ---- */

static void assert_below(spi_abstract *a, sp_smt t, int64_t extent) {
  sp_formula *f = a->f;
  sp_smt_assert(f, sp_smt_2(f, SP_SMT_LE, sp_smt_int(f, 0), t));
  sp_smt_assert(f, sp_smt_2(f, SP_SMT_LT, t, sp_smt_int(f, extent)));
  spi_divisions_within(a->divisions, t, 0, extent - 1);
}

static sp_smt build_var(spi_abstract *a, sp_expr e) {
  const spi_var *v = spi_var_of(a->p, e);
  if (v->cls == SP_VAR_BOUND) {
    a->refusal = "a bound variable outside its binder";
    return sp_smt_int(a->f, 0);
  }
  sp_smt t = constant(a, "v", e, SP_SORT_INT);
  assert_below(a, t, v->extent);
  return t;
}

/* A constant argument of a raw sum, times its coefficient, if that is not too
 * large to be added to c: equal sums then look alike. */
static bool fold_constant(const spi_abstract *a, sp_expr arg, int64_t coef,
                          int64_t *c) {
  int64_t product, sum;
  if (spi_kind(a->p, arg) != SP_KIND_INT ||
      !sp_mul_ok(coef, sp_int_value(a->p, arg), &product) ||
      !sp_add_ok(*c, product, &sum))
    return false;
  *c = sum;
  return true;
}

/* constant + the sum over these positions */
static sp_smt int_sum(spi_abstract *a, sp_expr e, uint32_t n,
                      const uint32_t *at) {
  const spi_node_t *d = spi_get(a->p, e);
  size_t mark = a->args.n;
  int64_t c = d->payload;
  for (uint32_t i = 0; i < n; i++)
    if (!fold_constant(a, d->args[at[i]], d->coefs.lin[at[i]], &c))
      spi_abstract_keep(a, spi_abstract_scaled(a, d->coefs.lin[at[i]],
                                               spi_abstract_arg(a, e, at[i])));
  if (c != 0 || a->args.n == mark)
    spi_abstract_keep(a, sp_smt_int(a->f, c));
  return spi_abstract_gather(a, SP_SMT_ADD, mark);
}

static sp_smt real_sum(spi_abstract *a, sp_expr e, uint32_t n,
                       const uint32_t *at) {
  const spi_node_t *d = spi_get(a->p, e);
  sp_num constant_part = sp_add_const(a->p, e);
  size_t mark = a->args.n;
  sp_smt one = sp_smt_real(a->f, "1");
  for (uint32_t i = 0; i < n; i++)
    spi_abstract_keep(a, scaled(a, spi_abstract_number(a, d->coefs.add[at[i]]),
                                one, spi_abstract_arg(a, e, at[i])));
  if (sp_num_sign(a->p, constant_part) != 0 || n == 0)
    spi_abstract_keep(a, spi_abstract_number(a, constant_part));
  return spi_abstract_gather(a, SP_SMT_ADD, mark);
}

static sp_smt build_division(spi_abstract *a, sp_expr e) {
  sp_smt quotient, rest;
  spi_divide(a->divisions, spi_abstract_arg(a, e, 0), sp_divisor(a->p, e),
             &quotient, &rest);
  return spi_kind(a->p, e) == SP_KIND_DIV ? quotient : rest;
}

/* ---- any sort ---- */

/* An n-ary node restricted to some of its arguments. */
static sp_smt fold(spi_abstract *a, sp_expr e, uint32_t n, const uint32_t *at) {
  sp_formula *f = a->f;
  sp_kind kind = spi_kind(a->p, e);
  size_t mark = a->args.n;
  assert(n > 0);
  if (kind == SP_KIND_REQ)
    return sp_smt_2(f, SP_SMT_EQ, spi_abstract_arg(a, e, at[0]),
                    spi_abstract_arg(a, e, at[1]));
  if (kind == SP_KIND_OR) {
    for (uint32_t i = 0; i < n; i++)
      spi_abstract_keep(a, spi_abstract_arg(a, e, at[i]));
    return spi_abstract_gather(a, SP_SMT_OR, mark);
  }
  sp_smt t = spi_abstract_arg(a, e, at[0]);
  for (uint32_t i = 1; i < n; i++) {
    sp_smt u = spi_abstract_arg(a, e, at[i]);
    sp_smt first = kind == SP_KIND_MAX ? sp_smt_2(f, SP_SMT_LE, u, t)
                                       : sp_smt_2(f, SP_SMT_LE, t, u);
    t = sp_smt_3(f, SP_SMT_ITE, first, t, u);
  }
  return t;
}

/* A name that is known not to be negative may be 0: gates, say. */
static bool has_sign(const spi_abstract *a, sp_expr e) {
  return spi_kind(a->p, e) == SP_KIND_READ &&
         spi_sym_of(a->p, sp_read_sym(a->p, e))->sign > 0;
}

static sp_smt product(spi_abstract *a, sp_expr e, uint32_t n,
                      const uint32_t *at) {
  if (n == 1)
    return spi_abstract_arg(a, e, at[0]);
  sp_mark scratch = sp_scratch_mark(a->ctx);
  sp_sort *sorts = sp_scratch(a->ctx, n * sizeof *sorts);
  size_t mark = a->args.n;
  for (uint32_t i = 0; i < n; i++) {
    sorts[i] = SP_SORT_REAL;
    spi_abstract_keep(a, spi_abstract_arg(a, e, at[i]));
  }
  sp_smt x[3] = {a->args.v[mark], a->args.v[mark + 1], {0}};
  if (n == 3)
    x[2] = a->args.v[mark + 2];
  uint32_t first = (uint32_t)a->function_words.n;
  word(a, SP_KIND_MUL);
  sp_smt t = apply(a, first, "mul", e, mark, sorts);
  sp_scratch_release(a->ctx, scratch);
  spi_assert_commutes(a->f, t, n, x);
  for (uint32_t i = 0; i < n; i++)
    if (has_sign(a, sp_arg(a->p, e, at[i])))
      spi_assert_zero(a->f, t, spi_abstract_arg(a, e, at[i]));
  return t;
}

/* The node restricted to the arguments at these positions. */
static sp_smt part(spi_abstract *a, sp_expr e, uint32_t n, const uint32_t *at) {
  sp_kind kind = spi_kind(a->p, e);
  if (kind == SP_KIND_LIN)
    return int_sum(a, e, n, at);
  if (kind == SP_KIND_ADD)
    return real_sum(a, e, n, at);
  if (kind == SP_KIND_MUL)
    return product(a, e, n, at);
  return fold(a, e, n, at);
}

static sp_smt build_commutative(spi_abstract *a, sp_expr e) {
  uint32_t n = sp_n_args(a->p, e);
  sp_mark mark = sp_scratch_mark(a->ctx);
  uint32_t *at = sp_scratch(a->ctx, (n + 1) * sizeof *at);
  for (uint32_t i = 0; i < n; i++)
    at[i] = i;
  spi_order_sort(a->order, e, n, at);
  sp_smt t = part(a, e, n, at);
  sp_scratch_release(a->ctx, mark);
  return t;
}

/* Functions of integers whose operands stand in the order of their ids. */
static bool function_commutes(const spi_abstract *a, sp_expr e) {
  return sp_sort_of(a->p, e) == SP_SORT_INT &&
         sp_fn_commutes(sp_fn_name(a->p, e));
}

static sp_smt build_function(spi_abstract *a, sp_expr e) {
  const spi_node_t *d = spi_get(a->p, e);
  sp_mark scratch = sp_scratch_mark(a->ctx);
  sp_sort *sorts = sp_scratch(a->ctx, (d->n + 1) * sizeof *sorts);
  size_t mark = a->args.n;
  for (uint32_t i = 0; i < d->n; i++) {
    sorts[i] = (sp_sort)spi_get(a->p, d->args[i])->sort;
    spi_abstract_keep(a, spi_abstract_arg(a, e, i));
  }
  uint32_t first = (uint32_t)a->function_words.n;
  word(a, SP_KIND_FN);
  word(a, (uint32_t)d->payload); /* the interned name */
  sp_smt x[3] = {{0}, {0}, {0}};
  for (uint32_t i = 0; i < d->n && i < 3; i++)
    x[i] = a->args.v[mark + i];
  sp_smt t = apply(a, first, "f", e, mark, sorts);
  sp_scratch_release(a->ctx, scratch);
  if (d->n > 1 && function_commutes(a, e))
    spi_assert_commutes(a->f, t, d->n, x);
  sp_expr from = spi_picked_from(a->p, d, true);
  if (from.v != 0 && spi_kind(a->p, sp_arg(a->p, from, 0)) == SP_KIND_VAR)
    assert_below(a, t, sp_var_extent(a->p, sp_arg(a->p, from, 0)));
  return t;
}

static const spi_cut *cut_of(spi_abstract *a, sp_expr red) {
  built *b = &a->built[red.v];
  if (b->cut >= a->cuts.n || a->cuts.v[b->cut].red.v != red.v) {
    b->cut = (uint32_t)a->cuts.n;
    sp_push(a->ctx, &a->cuts, ((red_cut){red, spi_cut_red(a->cutter, red)}));
  }
  return &a->cuts.v[b->cut].cut;
}

static sp_smt hole_term(spi_abstract *a, const spi_hole *h) {
  switch (h->kind) {
  case SPI_HOLE_ZERO:
    return sp_smt_int(a->f, 0);
  case SPI_HOLE_PART:
    return part(a, h->node, h->n, a->cutter->picks.v + h->first);
  case SPI_HOLE_TERM:
    break;
  }
  return spi_abstract_term(a, h->node);
}

static sp_smt build_reduction(spi_abstract *a, sp_expr e) {
  spi_cut cut = *cut_of(a, e);
  sp_mark scratch = sp_scratch_mark(a->ctx);
  sp_sort *sorts = sp_scratch(a->ctx, (cut.n_holes + 1) * sizeof *sorts);
  size_t mark = a->args.n;
  for (uint32_t i = 0; i < cut.n_holes; i++) {
    const spi_hole *h = &a->cutter->holes.v[cut.hole + i];
    sorts[i] = h->kind == SPI_HOLE_ZERO ? SP_SORT_INT
                                        : (sp_sort)spi_get(a->p, h->node)->sort;
    sp_smt t = hole_term(a, h);
    spi_abstract_keep(a, t);
  }
  uint32_t first = (uint32_t)a->function_words.n;
  word(a, SP_KIND_RED);
  word(a, cut.n_words);
  for (uint32_t i = 0; i < cut.n_words; i++)
    word(a, a->cutter->words.v[cut.word + i]);
  sp_smt t = apply(a, first, "red", e, mark, sorts);
  sp_scratch_release(a->ctx, scratch);
  return t;
}

static sp_smt build(spi_abstract *a, sp_expr e) {
  sp_formula *f = a->f;
  const spi_node_t *d = spi_get(a->p, e);
  switch ((sp_kind)d->kind) {
  case SP_KIND_INT:
    return sp_smt_int(f, d->payload);
  case SP_KIND_VAR:
    return build_var(a, e);
  case SP_KIND_LIN:
  case SP_KIND_ADD:
  case SP_KIND_MUL:
  case SP_KIND_MAX:
  case SP_KIND_MIN:
  case SP_KIND_OR:
  case SP_KIND_REQ:
    return build_commutative(a, e);
  case SP_KIND_DIV:
  case SP_KIND_MOD:
    return build_division(a, e);
  case SP_KIND_READ:
    return spi_abstract_read(a, e);
  case SP_KIND_ITE:
    return sp_smt_3(f, SP_SMT_ITE, spi_abstract_arg(a, e, 0),
                    spi_abstract_arg(a, e, 1), spi_abstract_arg(a, e, 2));
  case SP_KIND_FN:
    return build_function(a, e);
  case SP_KIND_RED:
    return build_reduction(a, e);
  case SP_KIND_NUM:
    return spi_abstract_number(a, sp_num_value(a->p, e));
  case SP_KIND_INF:
    return constant(a, sp_inf_negative(a->p, e) ? "ninf" : "pinf", e,
                    SP_SORT_REAL);
  case SP_KIND_I2R:
    return sp_smt_1(f, SP_SMT_TO_REAL, spi_abstract_arg(a, e, 0));
  case SP_KIND_BOOL:
    return sp_smt_bool(f, sp_bool_value(a->p, e));
  case SP_KIND_LT0:
    return sp_smt_2(f, SP_SMT_LT, spi_abstract_arg(a, e, 0), sp_smt_int(f, 0));
  case SP_KIND_EQ0:
    return sp_smt_2(f, SP_SMT_EQ, spi_abstract_arg(a, e, 0), sp_smt_int(f, 0));
  case SP_KIND_RLT:
    return sp_smt_2(f, SP_SMT_LT, spi_abstract_arg(a, e, 0),
                    spi_abstract_arg(a, e, 1));
  case SP_KIND_NOT:
    return sp_smt_1(f, SP_SMT_NOT, spi_abstract_arg(a, e, 0));
  }
  a->refusal = "a term of unknown kind";
  return sp_smt_bool(f, true);
}

/* ---- the walk ---- */

static void need(spi_abstract *a, sp_expr e) {
  if (!is_built(a, e))
    sp_push(a->ctx, &a->work, e);
}

static void need_holes(spi_abstract *a, sp_expr red) {
  spi_cut cut = *cut_of(a, red);
  for (uint32_t i = cut.n_holes; i-- > 0;) {
    const spi_hole *h = &a->cutter->holes.v[cut.hole + i];
    if (h->kind == SPI_HOLE_TERM)
      need(a, h->node);
    if (h->kind == SPI_HOLE_PART)
      for (uint32_t k = h->n; k-- > 0;)
        need(a, sp_arg(a->p, h->node, a->cutter->picks.v[h->first + k]));
  }
}

/* Arguments of commutative nodes are visited in the canonical order, too, or
 * the numbers of variables would depend on the pool's. */
static void need_args(spi_abstract *a, sp_expr e) {
  const spi_node_t *d = spi_get(a->p, e);
  sp_mark mark = sp_scratch_mark(a->ctx);
  uint32_t *at = sp_scratch(a->ctx, (d->n + 1) * sizeof *at);
  for (uint32_t i = 0; i < d->n; i++)
    at[i] = i;
  if (spi_commutes((sp_kind)d->kind))
    spi_order_sort(a->order, e, d->n, at);
  for (uint32_t i = d->n; i-- > 0;)
    need(a, d->args[at[i]]);
  sp_scratch_release(a->ctx, mark);
}

static sp_smt encode(spi_abstract *a, sp_expr root) {
  need(a, root);
  while (a->work.n > 0) {
    sp_expr e = a->work.v[a->work.n - 1];
    size_t before = a->work.n;
    if (!is_built(a, e)) {
      if (spi_kind(a->p, e) == SP_KIND_RED)
        need_holes(a, e);
      else
        need_args(a, e);
      if (a->work.n > before)
        continue;
      sp_smt t = build(a, e);
      a->built[e.v].term = t.v;
      a->built[e.v].stamp = a->stamp;
      if (a->f->words.n > SIZE_LIMIT)
        a->refusal = "the formula would be too large";
    }
    a->work.n--;
    if (a->refusal != NULL)
      return sp_smt_bool(a->f, true);
  }
  return spi_abstract_term(a, root);
}

const char *spi_abstract_obligation(spi_abstract *a, sp_formula *f,
                                    uint32_t n_hyps, const sp_expr *hyps,
                                    sp_expr goal) {
  begin(a, f);
  for (uint32_t i = 0; i < n_hyps && a->refusal == NULL; i++)
    sp_smt_assert(f, encode(a, hyps[i]));
  if (a->refusal == NULL) {
    sp_smt t = encode(a, goal);
    sp_smt_assert(f, sp_smt_1(f, SP_SMT_NOT, t));
  }
  return a->refusal;
}

const char *spi_abstract_note(spi_abstract *a, uint32_t decl) {
  sp_expr e = decl < a->subjects.n ? a->subjects.v[decl] : (sp_expr){0};
  if (e.v == 0)
    return "";
  switch (spi_kind(a->p, e)) {
  case SP_KIND_VAR:
    return sp_var_name(a->p, e);
  case SP_KIND_READ: {
    const spi_sym *s = spi_sym_of(a->p, sp_read_sym(a->p, e));
    return s->name != NULL ? s->name : "table";
  }
  case SP_KIND_FN:
    return sp_fn_name(a->p, e);
  case SP_KIND_RED:
    return sp_format(a->ctx, "%.*s", NOTE_LIMIT, sp_show(a->p, e));
  case SP_KIND_INT:
  case SP_KIND_LIN:
  case SP_KIND_DIV:
  case SP_KIND_MOD:
  case SP_KIND_ITE:
  case SP_KIND_MAX:
  case SP_KIND_MIN:
  case SP_KIND_NUM:
  case SP_KIND_INF:
  case SP_KIND_ADD:
  case SP_KIND_MUL:
  case SP_KIND_I2R:
  case SP_KIND_BOOL:
  case SP_KIND_LT0:
  case SP_KIND_EQ0:
  case SP_KIND_RLT:
  case SP_KIND_REQ:
  case SP_KIND_NOT:
  case SP_KIND_OR:
    break;
  }
  return "";
}
