/* index.c: maxima and minima of index terms, integer functions by name, and
 * reads.
 */
#include "encode/index.h"
#include "graph/program.h"

enum { MAX_EXPANDED = 16 };

/* ---- max, min ---- */

/* a >= b always */
static bool not_below(sp_pool *p, sp_expr a, sp_expr b) {
  int64_t lo, hi;
  sp_range(p, sp_isub(p, a, b), &lo, &hi);
  return lo >= 0;
}

/* Does a win against b? */
static bool beats(sp_pool *p, sp_kind kind, sp_expr a, sp_expr b) {
  return kind == SP_KIND_MAX ? not_below(p, a, b) : not_below(p, b, a);
}

static uint32_t flatten(const sp_pool *p, sp_kind kind, uint32_t n,
                        const sp_expr *args, sp_expr *out) {
  uint32_t m = 0;
  for (uint32_t i = 0; i < n; i++) {
    const spi_node_t *d = spi_get(p, args[i]);
    uint32_t k = d->kind == kind ? d->n : 1;
    if (out) {
      memcpy(out + m, d->kind == kind ? d->args : &args[i], k * sizeof *out);
    }
    m += k;
  }
  return m;
}

/* Drop the ones that never win, sort the rest. */
static uint32_t keep_winners(sp_pool *p, sp_kind kind, uint32_t n, sp_expr *v) {
  uint32_t m = 0;
  for (uint32_t i = 0; i < n; i++) {
    bool beaten = false;
    for (uint32_t j = 0; j < m && !beaten; j++) {
      beaten = beats(p, kind, v[j], v[i]);
    }
    if (beaten) {
      continue;
    }
    sp_expr e = v[i];
    uint32_t kept = 0;
    for (uint32_t j = 0; j < m; j++) {
      if (!beats(p, kind, e, v[j])) {
        v[kept++] = v[j];
      }
    }
    m = kept;
    uint32_t at = m++;
    for (; at > 0 && v[at - 1].v > e.v; at--) {
      v[at] = v[at - 1];
    }
    v[at] = e;
  }
  return m;
}

/* max(lo, min(x, hi)) with numbers lo <= hi is min(max(x, lo), hi). */
static sp_expr clamp_order(sp_pool *p, uint32_t n, const sp_expr *v) {
  if (n != 2) {
    return (sp_expr){0};
  }
  for (uint32_t i = 0; i < 2; i++) {
    const spi_node_t *lo = spi_get(p, v[i]), *m = spi_get(p, v[1 - i]);
    if (lo->kind != SP_KIND_INT || m->kind != SP_KIND_MIN || m->n != 2) {
      continue;
    }
    for (uint32_t j = 0; j < 2; j++) {
      const spi_node_t *hi = spi_get(p, m->args[j]);
      if (hi->kind == SP_KIND_INT && lo->payload <= hi->payload) {
        sp_expr x = sp_max(p, m->args[1 - j], v[i]);
        return sp_min(p, x, m->args[j]);
      }
    }
  }
  return (sp_expr){0};
}

static bool all_constant(const sp_pool *p, uint32_t n, const sp_expr *args) {
  for (uint32_t i = 0; i < n; i++) {
    if (spi_kind(p, args[i]) != SP_KIND_INT) {
      return false;
    }
  }
  return true;
}

sp_expr spi_extremum(sp_pool *p, sp_kind kind, uint32_t n,
                     const sp_expr *args) {
  if (p->raw && (p->raw_values || !all_constant(p, n, args))) {
    return spi_node(p, kind, SP_SORT_INT, 0, n, args, NULL);
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  uint32_t m = flatten(p, kind, n, args, NULL);
  sp_expr *v = sp_scratch(p->ctx, m * sizeof *v);
  flatten(p, kind, n, args, v);
  m = keep_winners(p, kind, m, v);
  sp_expr e = {0};
  if (m == 1) {
    e = v[0];
  } else if (kind == SP_KIND_MAX) {
    e = clamp_order(p, m, v);
  }
  if (!e.v) {
    e = spi_tabulate(p, spi_node(p, kind, SP_SORT_INT, 0, m, v, NULL));
  }
  sp_scratch_release(p->ctx, mark);
  return e;
}

sp_expr sp_max(sp_pool *p, sp_expr a, sp_expr b) {
  assert(sp_sort_of(p, a) == sp_sort_of(p, b));
  if (sp_sort_of(p, a) == SP_SORT_REAL) {
    return spi_rmax(p, a, b);
  }
  return spi_extremum(p, SP_KIND_MAX, 2, (sp_expr[]){a, b});
}

sp_expr sp_min(sp_pool *p, sp_expr a, sp_expr b) {
  assert(sp_sort_of(p, a) == sp_sort_of(p, b));
  if (sp_sort_of(p, a) == SP_SORT_REAL) {
    return spi_rmin(p, a, b);
  }
  return spi_extremum(p, SP_KIND_MIN, 2, (sp_expr[]){a, b});
}

sp_expr sp_clamp(sp_pool *p, sp_expr e, sp_expr lo, sp_expr hi) {
  return sp_min(p, sp_max(p, e, lo), hi);
}

/* ---- integer functions on numbers ---- */

static bool shift_value(const char *name, int64_t a, int64_t k, int64_t *out) {
  if (k < 0 || k > 62) {
    return false;
  }
  if (strcmp(name, "ishl") == 0) {
    return sp_mul_ok(a, INT64_C(1) << k, out);
  }
  *out = sp_floor_div(a, INT64_C(1) << k);
  return true;
}

static bool trunc_value(bool remainder, int64_t a, int64_t b, int64_t *out) {
  if (b == 0 || (b == -1 && a == INT64_MIN)) {
    return false;
  }
  *out = remainder ? a % b : a / b;
  return true;
}

bool spi_ifn_value(const char *name, uint32_t n, const int64_t *v,
                   int64_t *out) {
  if (strcmp(name, "imul") == 0) {
    *out = 1;
    bool ok = true;
    for (uint32_t i = 0; ok && i < n; i++) {
      ok = sp_mul_ok(*out, v[i], out);
    }
    return ok;
  }
  if (n == 1 && strcmp(name, "inot") == 0) {
    *out = ~v[0];
    return true;
  }
  if (n != 2) {
    return false;
  }
  if (strcmp(name, "idiv.trunc") == 0 || strcmp(name, "irem.trunc") == 0) {
    return trunc_value(name[1] == 'r', v[0], v[1], out);
  }
  if (strcmp(name, "ishl") == 0 || strcmp(name, "ishr") == 0) {
    return shift_value(name, v[0], v[1], out);
  }
  if (strcmp(name, "iand") == 0) {
    *out = v[0] & v[1];
  } else if (strcmp(name, "ior") == 0) {
    *out = v[0] | v[1];
  } else if (strcmp(name, "ixor") == 0) {
    *out = v[0] ^ v[1];
  } else {
    return false;
  }
  return true;
}

/* ---- integer functions of terms ---- */

static sp_expr ifn_node(sp_pool *p, const char *name, uint32_t n,
                        const sp_expr *args) {
  return spi_node(p, SP_KIND_FN, SP_SORT_INT, spi_fn_id(p, name), n, args,
                  NULL);
}

static bool is_imul(const sp_pool *p, sp_expr e) {
  return spi_kind(p, e) == SP_KIND_FN && sp_sort_of(p, e) == SP_SORT_INT &&
         strcmp(sp_fn_name(p, e), "imul") == 0;
}

/* Product of two atoms: factors flat and sorted. */
static sp_expr atoms_product(sp_pool *p, sp_expr a, sp_expr b) {
  uint32_t na = is_imul(p, a) ? sp_n_args(p, a) : 1;
  uint32_t nb = is_imul(p, b) ? sp_n_args(p, b) : 1;
  sp_mark mark = sp_scratch_mark(p->ctx);
  sp_expr *v = sp_scratch(p->ctx, (na + nb) * sizeof *v);
  for (uint32_t i = 0; i < na + nb; i++) {
    sp_expr from = i < na ? a : b;
    sp_expr f = is_imul(p, from) ? sp_arg(p, from, i < na ? i : i - na) : from;
    uint32_t j = i;
    for (; j > 0 && v[j - 1].v > f.v; j--) {
      v[j] = v[j - 1];
    }
    v[j] = f;
  }
  sp_expr e = ifn_node(p, "imul", na + nb, v);
  sp_scratch_release(p->ctx, mark);
  return p->raw ? e : spi_tabulate(p, e);
}

/* Multiplied out, unless the sums are long. */
static sp_expr product(sp_pool *p, sp_expr a, sp_expr b) {
  spi_parts x, y;
  spi_parts_of(p, a, &x);
  spi_parts_of(p, b, &y);
  if (x.n == 0) {
    return sp_iscale(p, b, x.c);
  }
  if (y.n == 0) {
    return sp_iscale(p, a, y.c);
  }
  if (x.n > MAX_EXPANDED / y.n) {
    sp_expr v[2] = {a.v < b.v ? a : b, a.v < b.v ? b : a};
    return ifn_node(p, "imul", 2, v);
  }
  sp_mark mark = sp_scratch_mark(p->ctx);
  spi_sum s = spi_sum_new(p, (x.n + 1) * (y.n + 1));
  s.c = spi_mul64(p, x.c, y.c);
  for (uint32_t i = 0; i < x.n; i++) {
    spi_sum_add(&s, x.arg[i], spi_mul64(p, x.coef[i], y.c));
    for (uint32_t j = 0; j < y.n; j++) {
      spi_sum_add(&s, atoms_product(p, x.arg[i], y.arg[j]),
                  spi_mul64(p, x.coef[i], y.coef[j]));
    }
  }
  for (uint32_t j = 0; j < y.n; j++) {
    spi_sum_add(&s, y.arg[j], spi_mul64(p, x.c, y.coef[j]));
  }
  sp_expr e = spi_sum_done(&s);
  sp_scratch_release(p->ctx, mark);
  return e;
}

/* Division towards zero where the sign of a is known and b is a number. */
static sp_expr trunc_by_number(sp_pool *p, bool remainder, sp_expr a,
                               int64_t b) {
  if (b == 0 || b == INT64_MIN) {
    return (sp_expr){0};
  }
  int64_t lo, hi, c = b < 0 ? -b : b;
  sp_range(p, a, &lo, &hi);
  if (lo < 0 && hi > 0) {
    return (sp_expr){0};
  }
  sp_expr size = lo >= 0 ? a : sp_iscale(p, a, -1); /* |a| */
  int64_t sign = lo >= 0 ? 1 : -1;
  if (remainder) { /* has the sign of a */
    return sp_iscale(p, sp_imod(p, size, c), sign);
  }
  return sp_iscale(p, sp_idiv(p, size, c), b < 0 ? -sign : sign);
}

/* x op k for a number k, and x op x; 0 if there is no rule. */
static sp_expr bits_simple(sp_pool *p, const char *name, sp_expr x, sp_expr y) {
  bool and = strcmp(name, "iand") == 0, xor = strcmp(name, "ixor") == 0;
  if (spi_same(x, y)) {
    return xor? sp_int(p, 0) : x;
  }
  if (spi_kind(p, x) == SP_KIND_INT) {
    sp_expr t = x;
    x = y;
    y = t;
  }
  if (spi_kind(p, y) != SP_KIND_INT) {
    return (sp_expr){0};
  }
  int64_t k = sp_int_value(p, y);
  if (k == 0) {
    return and? y : x;
  }
  if (k == -1) { /* all bits */
    return and? x : xor? spi_lin(p, -1, 1, &x, (int64_t[]){-1}) : y;
  }
  if (and&&k > 0 && k < INT64_MAX && (k & (k + 1)) == 0) {
    return sp_imod(p, x, k + 1);
  }
  return (sp_expr){0};
}

static sp_expr binary_simple(sp_pool *p, const char *name, sp_expr a,
                             sp_expr b) {
  bool number = spi_kind(p, b) == SP_KIND_INT;
  if (strcmp(name, "imul") == 0) {
    return product(p, a, b);
  }
  if (number && strcmp(name, "idiv.trunc") == 0) {
    return trunc_by_number(p, false, a, sp_int_value(p, b));
  }
  if (number && strcmp(name, "irem.trunc") == 0) {
    return trunc_by_number(p, true, a, sp_int_value(p, b));
  }
  if (strcmp(name, "iand") == 0 || strcmp(name, "ior") == 0 ||
      strcmp(name, "ixor") == 0) {
    return bits_simple(p, name, a, b);
  }
  bool left = strcmp(name, "ishl") == 0;
  if (number && (left || strcmp(name, "ishr") == 0)) {
    int64_t k = sp_int_value(p, b);
    if (k >= 0 && k <= 62) {
      return left ? sp_iscale(p, a, INT64_C(1) << k)
                  : sp_idiv(p, a, INT64_C(1) << k);
    }
  }
  return (sp_expr){0};
}

/* Shifts of a machine integer ("ishr.u64") by a number: what the operator
 * table says of them (op_arith.c), where the number shows only once an operand
 * is replaced by its definition. Unsigned values are not negative. */
static sp_expr shift_by_number(sp_pool *p, const char *name, sp_expr a,
                               sp_expr b) {
  bool left = strncmp(name, "ishl.", 5) == 0;
  if (spi_kind(p, b) != SP_KIND_INT ||
      (!left && strncmp(name, "ishr.", 5) != 0)) {
    return (sp_expr){0};
  }
  sp_dtype t = sp_dtype_parse(name + 5, strlen(name + 5));
  int64_t k = sp_int_value(p, b), bits = sp_dtype_bits(t);
  if (!sp_dtype_is_unsigned(t)) {
    return (sp_expr){0};
  }
  if (k < 0 || k >= bits) {
    return sp_int(p, 0);
  }
  if (left) {
    return bits > 32 ? (sp_expr){0}
                     : sp_imod(p, sp_iscale(p, a, INT64_C(1) << k),
                               INT64_C(1) << bits);
  }
  return k > 61 ? (sp_expr){0} : sp_idiv(p, a, INT64_C(1) << k);
}

bool sp_fn_commutes(const char *name) {
  static const char *const names[] = {"imul", "iand", "ior", "ixor"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(name, names[i]) == 0) {
      return true;
    }
  }
  return false;
}

/* The value on numbers; 0 if an argument is none or it has no value. */
static sp_expr ifn_fold(sp_pool *p, const char *name, uint32_t n,
                        const sp_expr *args) {
  int64_t v[4], out;
  for (uint32_t i = 0; i < n; i++) {
    if (n > 4 || spi_kind(p, args[i]) != SP_KIND_INT) {
      return (sp_expr){0};
    }
    v[i] = sp_int_value(p, args[i]);
  }
  return n > 0 && spi_ifn_value(name, n, v, &out) ? sp_int(p, out)
                                                  : (sp_expr){0};
}

sp_expr spi_ifn(sp_pool *p, const char *name, uint32_t n, const sp_expr *args) {
  for (uint32_t i = 0; i < n; i++) { /* functions of other sorts: as they are */
    if (sp_sort_of(p, args[i]) != SP_SORT_INT) {
      return ifn_node(p, name, n, args);
    }
  }
  sp_expr shifted =
      n == 2 ? shift_by_number(p, name, args[0], args[1]) : (sp_expr){0};
  if (shifted.v) {
    return shifted;
  }
  if (p->raw && (p->raw_values || !all_constant(p, n, args))) {
    bool product = n == 2 && strcmp(name, "imul") == 0;
    return product ? atoms_product(p, args[0], args[1])
                   : ifn_node(p, name, n, args);
  }
  sp_expr e = ifn_fold(p, name, n, args);
  if (!e.v && n == 2) {
    e = binary_simple(p, name, args[0], args[1]);
  } else if (!e.v && n > 2 && strcmp(name, "imul") == 0) {
    e = args[0];
    for (uint32_t i = 1; i < n; i++) {
      e = product(p, e, args[i]);
    }
  } else if (!e.v && n == 1 && strcmp(name, "inot") == 0) {
    e = spi_lin(p, -1, 1, args, (int64_t[]){-1});
  }
  if (e.v) {
    return e;
  }
  if (n == 2 && sp_fn_commutes(name) && args[0].v > args[1].v) {
    e = ifn_node(p, name, 2, (sp_expr[]){args[1], args[0]});
  } else {
    e = ifn_node(p, name, n, args);
  }
  return spi_tabulate(p, e);
}

sp_expr sp_fn(sp_pool *p, sp_sort sort, const char *name, uint32_t n,
              const sp_expr *args) {
  const char *text = sp_intern(p->ctx, name, strlen(name));
  switch (sort) {
  case SP_SORT_INT:
    return spi_ifn(p, text, n, args);
  case SP_SORT_REAL:
    return spi_rfn(p, text, n, args);
  case SP_SORT_BOOL:
    break;
  }
  return spi_node(p, SP_KIND_FN, SP_SORT_BOOL, spi_fn_id(p, text), n, args,
                  NULL);
}

/* ---- reads ---- */

sp_expr sp_read(sp_pool *p, sp_sym s, const sp_expr *idx) {
  const spi_sym *d = spi_sym_of(p, s);
  /* A long table is not spelled out to the solver: where it is a formula (on
   * every value), obligations are about the formula. */
  bool spelled_out = p->raw_values || d->n_values <= SPI_TABLE_SPELLED;
  if (d->is_table && (!p->raw || !spelled_out)) {
    return spi_read_table(p, s, idx);
  }
  return spi_node(p, SP_KIND_READ, d->sort, s.v, d->n_args, idx, NULL);
}
