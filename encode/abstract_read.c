/* abstract_read.c: reads as formulas, and facts about elements: read
 * spi_abstract_read. */
#include "encode/abstract_i.h"

enum { SMALL_TABLE = 64 }; /* entries that are written out */

static sp_smt table_entry(spi_abstract *a, const spi_sym *s, int64_t i) {
  if (s->sort == SP_SORT_REAL)
    return spi_abstract_number(a, s->nums[i]);
  if (s->sort == SP_SORT_BOOL)
    return sp_smt_bool(a->f, s->ints[i] != 0);
  return sp_smt_int(a->f, s->ints[i]);
}

/* The entry of a small table at these indices: ite(at = 0, first, ...). */
static sp_smt table_lookup(spi_abstract *a, const spi_sym *s, sp_expr e) {
  size_t mark = a->args.n;
  int64_t stride = 1;
  for (uint32_t i = s->n_args; i-- > 0; stride *= s->extents[i])
    spi_abstract_keep(
        a, spi_abstract_scaled(a, stride, spi_abstract_arg(a, e, i)));
  sp_smt at = s->n_args == 0 ? sp_smt_int(a->f, 0)
                             : spi_abstract_gather(a, SP_SMT_ADD, mark);
  sp_smt t = table_entry(a, s, s->n_values - 1);
  for (int64_t i = s->n_values - 1; i-- > 0;)
    t = sp_smt_3(a->f, SP_SMT_ITE,
                 sp_smt_2(a->f, SP_SMT_EQ, at, sp_smt_int(a->f, i)),
                 table_entry(a, s, i), t);
  return t;
}

/* Position in the table when all indices are constants inside it. */
static bool constant_position(const spi_abstract *a, const spi_sym *s,
                              sp_expr e, int64_t *at) {
  *at = 0;
  for (uint32_t i = 0; i < s->n_args; i++) {
    sp_expr arg = sp_arg(a->p, e, i);
    if (spi_kind(a->p, arg) != SP_KIND_INT)
      return false;
    int64_t x = sp_int_value(a->p, arg);
    if (x < 0 || x >= s->extents[i])
      return false;
    *at = *at * s->extents[i] + x;
  }
  return true;
}

/* Facts hold where every index is inside the extents: outside, a read may
 * give anything (an array of the solver is total, a tensor is not). */
static void assert_inside(spi_abstract *a, const spi_sym *s, sp_expr e,
                          sp_smt fact) {
  sp_formula *f = a->f;
  size_t mark = a->args.n;
  for (uint32_t i = 0; i < s->n_args; i++) {
    sp_expr arg = sp_arg(a->p, e, i);
    sp_kind kind = spi_kind(a->p, arg);
    if (kind == SP_KIND_VAR && sp_var_extent(a->p, arg) <= s->extents[i])
      continue; /* asserted of the variable */
    sp_smt t = spi_abstract_term(a, arg);
    spi_abstract_keep(a, sp_smt_2(f, SP_SMT_LE, sp_smt_int(f, 0), t));
    spi_abstract_keep(a,
                      sp_smt_2(f, SP_SMT_LT, t, sp_smt_int(f, s->extents[i])));
  }
  if (a->args.n > mark)
    fact = sp_smt_2(f, SP_SMT_IMPLIES, spi_abstract_gather(a, SP_SMT_AND, mark),
                    fact);
  sp_smt_assert(f, fact);
}

static void assert_element(spi_abstract *a, sp_sym sym, sp_expr e, sp_smt t) {
  const spi_sym *s = spi_sym_of(a->p, sym);
  sp_formula *f = a->f;
  int64_t at, lo, hi;
  if (s->is_table && constant_position(a, s, e, &at)) {
    sp_smt_assert(f, sp_smt_2(f, SP_SMT_EQ, t, table_entry(a, s, at)));
    return;
  }
  if (s->is_table && s->n_values > 0 && s->n_values <= SMALL_TABLE) {
    sp_smt entry = table_lookup(a, s, e);
    assert_inside(a, s, e, sp_smt_2(f, SP_SMT_EQ, t, entry));
    return;
  }
  if (s->sort == SP_SORT_REAL && s->sign > 0)
    sp_smt_assert(f, sp_smt_2(f, SP_SMT_LE, sp_smt_real(f, "0"), t));
  if (s->sort != SP_SORT_INT)
    return;
  sp_sym_range(a->p, sym, &lo, &hi);
  size_t mark = a->args.n;
  if (lo != INT64_MIN)
    spi_abstract_keep(a, sp_smt_2(f, SP_SMT_LE, sp_smt_int(f, lo), t));
  if (hi != INT64_MAX)
    spi_abstract_keep(a, sp_smt_2(f, SP_SMT_LE, t, sp_smt_int(f, hi)));
  for (uint32_t i = 0; i < s->n_gaps; i++) {
    sp_smt below = sp_smt_2(f, SP_SMT_LT, t, sp_smt_int(f, s->gaps[i].lo));
    sp_smt above = sp_smt_2(f, SP_SMT_LT, sp_smt_int(f, s->gaps[i].hi), t);
    spi_abstract_keep(a, sp_smt_2(f, SP_SMT_OR, below, above));
  }
  if (a->args.n > mark)
    assert_inside(a, s, e, spi_abstract_gather(a, SP_SMT_AND, mark));
}

sp_smt spi_abstract_read(spi_abstract *a, sp_expr e) {
  sp_sym sym = sp_read_sym(a->p, e);
  const spi_sym *s = spi_sym_of(a->p, sym);
  symbol *known = &a->symbols.v[sym.v];
  if (known->stamp != a->stamp) {
    known->stamp = a->stamp;
    known->decl = spi_abstract_declare(
        a, "t", e, (sp_smt_sort){s->sort, s->n_args}, 0, NULL);
  }
  sp_smt t = sp_smt_app(a->f, known->decl, 0, NULL);
  for (uint32_t i = 0; i < s->n_args; i++)
    t = sp_smt_2(a->f, SP_SMT_SELECT, t, spi_abstract_arg(a, e, i));
  assert_element(a, sym, e, t);
  return t;
}
