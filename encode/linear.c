/* linear.c: linear sums of index atoms. Read spi_sum_done: sort and merge, then
 * fold digits together (fold_mod, fold_div), then intern.
 *
 * Every fold makes the sum smaller as a tree, so folding ends.
 */
#include "encode/index.h"

enum { MAX_FOLDS = 100, SPLIT_ATOMS = 16 };

void spi_parts_of(const sp_pool *p, sp_expr e, spi_parts *out) {
  const spi_node_t *d = spi_get(p, e);
  assert(d->sort == SP_SORT_INT);
  out->c = 0;
  out->n = 0;
  if (d->kind == SP_KIND_INT) {
    out->c = d->payload;
  } else if (d->kind == SP_KIND_LIN) {
    out->c = d->payload;
    out->n = d->n;
    out->arg = d->args;
    out->coef = d->coefs.lin;
  } else {
    out->own_arg = e;
    out->own_coef = 1;
    out->n = 1;
    out->arg = &out->own_arg;
    out->coef = &out->own_coef;
  }
}

int64_t spi_parts_coef(const spi_parts *s, sp_expr atom) {
  for (uint32_t i = 0; i < s->n; i++) {
    if (spi_same(s->arg[i], atom)) {
      return s->coef[i];
    }
  }
  return 0;
}

/* ---- building ---- */

spi_sum spi_sum_new(sp_pool *p, uint32_t cap) {
  spi_sum s = {.p = p, .cap = cap < 8 ? 8 : cap};
  s.arg = sp_scratch(p->ctx, s.cap * sizeof *s.arg);
  s.coef = sp_scratch(p->ctx, s.cap * sizeof *s.coef);
  return s;
}

static void sum_push(spi_sum *s, sp_expr atom, int64_t k) {
  if (s->n == s->cap) {
    spi_sum bigger = spi_sum_new(s->p, s->cap * 2);
    memcpy(bigger.arg, s->arg, s->n * sizeof *s->arg);
    memcpy(bigger.coef, s->coef, s->n * sizeof *s->coef);
    s->arg = bigger.arg;
    s->coef = bigger.coef;
    s->cap = bigger.cap;
  }
  s->arg[s->n] = atom;
  s->coef[s->n++] = k;
}

void spi_sum_const(spi_sum *s, int64_t c) {
  s->c = spi_add64(s->p, s->c, c);
}

void spi_sum_add(spi_sum *s, sp_expr e, int64_t k) {
  if (k == 0) {
    return;
  }
  spi_parts d;
  spi_parts_of(s->p, e, &d);
  spi_sum_const(s, spi_mul64(s->p, k, d.c));
  for (uint32_t i = 0; i < d.n; i++) {
    sum_push(s, d.arg[i], spi_mul64(s->p, k, d.coef[i]));
  }
}

static void swap_atoms(spi_sum *s, uint32_t i, uint32_t j) {
  sp_expr a = s->arg[i];
  int64_t k = s->coef[i];
  s->arg[i] = s->arg[j];
  s->coef[i] = s->coef[j];
  s->arg[j] = a;
  s->coef[j] = k;
}

static void sift_down(spi_sum *s, uint32_t at, uint32_t n) {
  for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && s->arg[child].v < s->arg[child + 1].v) {
      child++;
    }
    if (s->arg[at].v >= s->arg[child].v) {
      return;
    }
    swap_atoms(s, at, child);
  }
}

static void sort_atoms(spi_sum *s) {
  if (s->n > 32) { /* heap sort: long sums are rare but must not hurt */
    for (uint32_t i = s->n / 2; i-- > 0;) {
      sift_down(s, i, s->n);
    }
    for (uint32_t n = s->n; n > 1; n--) {
      swap_atoms(s, 0, n - 1);
      sift_down(s, 0, n - 1);
    }
    return;
  }
  for (uint32_t i = 1; i < s->n; i++) {
    for (uint32_t j = i; j > 0 && s->arg[j - 1].v > s->arg[j].v; j--) {
      swap_atoms(s, j - 1, j);
    }
  }
}

void spi_sum_sort(spi_sum *s) {
  sort_atoms(s);
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->n;) {
    sp_expr atom = s->arg[i];
    int64_t k = 0;
    for (; i < s->n && spi_same(s->arg[i], atom); i++) {
      k = spi_add64(s->p, k, s->coef[i]);
    }
    if (k != 0) {
      s->arg[n] = atom;
      s->coef[n++] = k;
    }
  }
  s->n = n;
}

/* ---- folding digits ---- */

static int64_t sum_coef(const spi_sum *s, sp_expr atom) {
  for (uint32_t i = 0; i < s->n; i++) {
    if (spi_same(s->arg[i], atom)) {
      return s->coef[i];
    }
  }
  return 0;
}

static void sum_drop(spi_sum *s, sp_expr atom) {
  for (uint32_t i = 0; i < s->n; i++) {
    if (spi_same(s->arg[i], atom)) {
      s->coef[i] = 0;
    }
  }
}

/* a - b is a multiple of c, coefficient by coefficient */
static bool congruent(const sp_pool *p, sp_expr a, sp_expr b, int64_t c) {
  spi_parts x, y;
  spi_parts_of(p, a, &x);
  spi_parts_of(p, b, &y);
  if (sp_floor_mod(x.c, c) != sp_floor_mod(y.c, c)) {
    return false;
  }
  for (uint32_t i = 0, j = 0; i < x.n || j < y.n;) {
    int64_t k = 0, l = 0;
    if (j == y.n || (i < x.n && x.arg[i].v < y.arg[j].v)) {
      k = x.coef[i++];
    } else if (i == x.n || y.arg[j].v < x.arg[i].v) {
      l = y.coef[j++];
    } else {
      k = x.coef[i++];
      l = y.coef[j++];
    }
    if (sp_floor_mod(k, c) != sp_floor_mod(l, c)) {
      return false;
    }
  }
  return true;
}

/* Do all atoms of q occur in s with k times their coefficients? */
static bool sum_contains(const spi_sum *s, const spi_parts *q, int64_t k) {
  for (uint32_t i = 0; i < q->n; i++) {
    int64_t want;
    if (!sp_mul_ok(q->coef[i], k, &want) || sum_coef(s, q->arg[i]) != want) {
      return false;
    }
  }
  return q->n > 0;
}

/* k*(y mod c) + k*c*(z div c) = k*z, where y mod c = z mod c */
static bool fold_quotient(spi_sum *s, sp_expr mod, int64_t k, int64_t kc) {
  const spi_node_t *m = spi_get(s->p, mod);
  for (uint32_t j = 0; j < s->n; j++) {
    const spi_node_t *d = spi_get(s->p, s->arg[j]);
    if (s->coef[j] == kc && d->kind == SP_KIND_DIV &&
        d->payload == m->payload &&
        congruent(s->p, d->args[0], m->args[0], m->payload)) {
      s->coef[j] = 0;
      sum_drop(s, mod);
      spi_sum_add(s, d->args[0], k);
      return true;
    }
  }
  return false;
}

/* k*(y mod c) + k*c*(w mod e) = k*(z mod c*e), z = y + c*(w - y div c): an
 * identity; of use when the atoms of y div c vanish from w. */
static bool fold_digit(spi_sum *s, sp_expr mod, int64_t k, int64_t kc,
                       sp_expr quotient) {
  sp_pool *p = s->p;
  const spi_node_t *m = spi_get(p, mod);
  spi_parts q, w;
  spi_parts_of(p, quotient, &q);
  for (uint32_t j = 0; j < s->n; j++) {
    const spi_node_t *d = spi_get(p, s->arg[j]);
    int64_t ce;
    if (s->coef[j] != kc || d->kind != SP_KIND_MOD ||
        spi_same(s->arg[j], mod) || !sp_mul_ok(m->payload, d->payload, &ce)) {
      continue;
    }
    spi_parts_of(p, d->args[0], &w);
    bool within = q.n > 0;
    for (uint32_t i = 0; within && i < q.n; i++) {
      int64_t have = spi_parts_coef(&w, q.arg[i]);
      within =
          sp_floor_mod(have, d->payload) == sp_floor_mod(q.coef[i], d->payload);
    }
    if (within) {
      spi_sum z = spi_sum_new(p, w.n + q.n + 4);
      spi_sum_add(&z, m->args[0], 1);
      spi_sum_add(&z, d->args[0], m->payload);
      spi_sum_add(&z, quotient, -m->payload);
      s->coef[j] = 0;
      sum_drop(s, mod);
      spi_sum_add(s, sp_imod(p, spi_sum_done(&z), ce), k);
      return true;
    }
  }
  return false;
}

static bool fold_mod(spi_sum *s, uint32_t at) {
  sp_pool *p = s->p;
  sp_expr mod = s->arg[at];
  const spi_node_t *m = spi_get(p, mod);
  int64_t k = s->coef[at], kc;
  if (!sp_mul_ok(k, m->payload, &kc)) {
    return false;
  }
  bool partner = false;
  for (uint32_t j = 0; j < s->n && !partner; j++) {
    partner = j != at && s->coef[j] % kc == 0;
  }
  if (!partner) {
    return false;
  }
  if (fold_quotient(s, mod, k, kc)) {
    return true;
  }
  sp_expr quotient = sp_idiv(p, m->args[0], m->payload);
  spi_parts q;
  spi_parts_of(p, quotient, &q);
  if (sum_contains(s, &q, kc)) {
    /* the same with y div c in its simplified form */
    for (uint32_t i = 0; i < q.n; i++) {
      sum_drop(s, q.arg[i]);
    }
    sum_drop(s, mod);
    spi_sum_add(s, m->args[0], k);
    spi_sum_const(s, -spi_mul64(p, kc, q.c));
    return true;
  }
  return fold_digit(s, mod, k, kc, quotient);
}

/* k*z - k*c*(z div c) = k*(z mod c) */
static bool fold_div(spi_sum *s, uint32_t at) {
  sp_pool *p = s->p;
  const spi_node_t *d = spi_get(p, s->arg[at]);
  if (s->coef[at] % d->payload != 0 || s->coef[at] == INT64_MIN) {
    return false;
  }
  int64_t k = -(s->coef[at] / d->payload);
  spi_parts z;
  spi_parts_of(p, d->args[0], &z);
  if (!sum_contains(s, &z, k)) {
    return false;
  }
  for (uint32_t i = 0; i < z.n; i++) {
    sum_drop(s, z.arg[i]);
  }
  s->coef[at] = 0;
  spi_sum_const(s, -spi_mul64(p, k, z.c));
  spi_sum_add(s, sp_imod(p, d->args[0], d->payload), k);
  return true;
}

static bool fold_once(spi_sum *s) {
  for (uint32_t i = 0; i < s->n; i++) {
    const spi_node_t *a = spi_get(s->p, s->arg[i]);
    if ((a->kind == SP_KIND_MOD && a->payload > 1 && fold_mod(s, i)) ||
        (a->kind == SP_KIND_DIV && a->payload > 1 && fold_div(s, i))) {
      return true;
    }
  }
  return false;
}

/* One plain digit (rank div b) mod c of the rank. */
static bool is_digit(const sp_pool *p, sp_expr e) {
  if (spi_kind(p, e) == SP_KIND_MOD) {
    e = spi_get(p, e)->args[0];
  }
  if (spi_kind(p, e) == SP_KIND_DIV) {
    e = spi_get(p, e)->args[0];
  }
  return spi_kind(p, e) == SP_KIND_VAR;
}

static int64_t magnitude(int64_t k) {
  return k == INT64_MIN ? INT64_MAX : k < 0 ? -k : k;
}

/* What a sum has of the rank alone is a term in the rank. Where that is a
 * number or one digit on all ranks this is put in: what moved between ranks and
 * back is read at such a sum. A digit that counts more than all that it stands
 * for stays out: it tells whether a rank is past the end of a ring, and hides
 * how far away it is. */
static bool fold_ranks(spi_sum *s) {
  sp_pool *p = s->p;
  spi_sum part = spi_sum_new(p, s->n);
  int64_t most = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    const spi_set *free = spi_get(p, s->arg[i])->free;
    if (free->n == 1 && spi_var_of(p, free->v[0])->cls == SP_VAR_RANK) {
      int64_t k = magnitude(s->coef[i]);
      sum_push(&part, s->arg[i], s->coef[i]);
      most = k > most ? k : most;
    }
  }
  if (part.n < 2 || part.n == s->n) {
    return false; /* one atom is fitted, and so is the sum as a whole */
  }
  sp_expr fit = spi_tabulate(
      p, spi_node(p, SP_KIND_LIN, SP_SORT_INT, 0, part.n, part.arg, part.coef));
  spi_parts f;
  spi_parts_of(p, fit, &f);
  if (f.n > 1 ||
      (f.n == 1 && (magnitude(f.coef[0]) > most || !is_digit(p, f.arg[0])))) {
    return false;
  }
  for (uint32_t i = 0; i < part.n; i++) {
    sum_drop(s, part.arg[i]);
  }
  spi_sum_add(s, fit, 1);
  return true;
}

sp_expr spi_sum_done(spi_sum *s) {
  sp_pool *p = s->p;
  spi_sum_sort(s);
  if (!p->raw && s->n > 1) {
    for (int i = 0; i < MAX_FOLDS && (fold_once(s) || fold_ranks(s)); i++) {
      spi_sum_sort(s);
    }
  }
  if (s->n == 0) {
    return sp_int(p, s->c);
  }
  if (s->n == 1 && s->c == 0 && s->coef[0] == 1) {
    return s->arg[0];
  }
  sp_expr e =
      spi_node(p, SP_KIND_LIN, SP_SORT_INT, s->c, s->n, s->arg, s->coef);
  return p->raw ? e : spi_tabulate(p, e);
}

/* ---- splitting off low digits ---- */

/* Scales worth trying, largest first: what coefficients share with c. */
static uint32_t scales(const spi_sum *s, int64_t c, int64_t *out) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    int64_t g = sp_gcd(s->coef[i], c);
    uint32_t j = n;
    for (; j > 0 && out[j - 1] < g; j--) {
      out[j] = out[j - 1];
    }
    out[j] = g;
    n++;
  }
  for (uint32_t i = 1, base = n; i < base; i++) {
    out[n] = sp_gcd(out[i], i == 1 ? out[0] : out[n - 1]);
    n++;
  }
  return n;
}

static bool split_at(const spi_sum *s, int64_t g, spi_sum *y, spi_sum *small) {
  y->n = small->n = 0;
  y->c = small->c = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->coef[i] % g == 0) {
      sum_push(y, s->arg[i], s->coef[i] / g);
    } else {
      sum_push(small, s->arg[i], s->coef[i]);
    }
  }
  if (y->n == 0 || small->n == 0) {
    return false;
  }
  small->c = s->c;
  int64_t lo, hi;
  spi_sum_range(small, &lo, &hi);
  if (lo == INT64_MIN || hi == INT64_MAX ||
      sp_floor_div(lo, g) != sp_floor_div(hi, g)) {
    return false;
  }
  int64_t q = sp_floor_div(lo, g);
  y->c = q;
  return sp_mul_ok(q, g, &q) && sp_sub_ok(s->c, q, &small->c);
}

int64_t spi_sum_split(const spi_sum *s, int64_t c, spi_sum *y, spi_sum *small) {
  if (s->n < 2 || s->n > SPLIT_ATOMS) {
    return 0;
  }
  int64_t tried[2 * SPLIT_ATOMS];
  uint32_t n = scales(s, c, tried);
  *y = spi_sum_new(s->p, s->n);
  *small = spi_sum_new(s->p, s->n);
  for (uint32_t i = 0; i < n; i++) {
    if (tried[i] > 1 && (c == 0 || tried[i] < c) &&
        split_at(s, tried[i], y, small)) {
      return tried[i];
    }
  }
  return 0;
}

/* ---- the public constructors ---- */

sp_expr spi_lin(sp_pool *p, int64_t constant, uint32_t n, const sp_expr *args,
                const int64_t *coefs) {
  sp_mark mark = sp_scratch_mark(p->ctx);
  spi_sum s = spi_sum_new(p, n);
  s.c = constant;
  for (uint32_t i = 0; i < n; i++) {
    spi_sum_add(&s, args[i], coefs[i]);
  }
  sp_expr e = spi_sum_done(&s);
  sp_scratch_release(p->ctx, mark);
  return e;
}

sp_expr sp_int(sp_pool *p, int64_t v) {
  return spi_node(p, SP_KIND_INT, SP_SORT_INT, v, 0, NULL, NULL);
}

sp_expr sp_iadd(sp_pool *p, sp_expr a, sp_expr b) {
  return spi_lin(p, 0, 2, (sp_expr[]){a, b}, (int64_t[]){1, 1});
}

sp_expr sp_isub(sp_pool *p, sp_expr a, sp_expr b) {
  return spi_lin(p, 0, 2, (sp_expr[]){a, b}, (int64_t[]){1, -1});
}

sp_expr sp_iaddc(sp_pool *p, sp_expr a, int64_t c) {
  return c == 0 ? a : spi_lin(p, c, 1, &a, (int64_t[]){1});
}

sp_expr sp_iscale(sp_pool *p, sp_expr a, int64_t k) {
  return k == 1 ? a : spi_lin(p, 0, 1, &a, &k);
}

static bool is_number_choice(const sp_pool *p, sp_expr e) {
  return spi_kind(p, e) == SP_KIND_ITE &&
         spi_kind(p, sp_arg(p, e, 1)) == SP_KIND_INT &&
         spi_kind(p, sp_arg(p, e, 2)) == SP_KIND_INT;
}

/* a * ite(c, k, l) = ite(c, k a, l a): a mask that is multiplied with. */
static sp_expr choose_multiple(sp_pool *p, sp_expr a, sp_expr choice) {
  return sp_ite(p, sp_arg(p, choice, 0),
                sp_iscale(p, a, sp_int_value(p, sp_arg(p, choice, 1))),
                sp_iscale(p, a, sp_int_value(p, sp_arg(p, choice, 2))));
}

sp_expr sp_imul(sp_pool *p, sp_expr a, sp_expr b) {
  /* Linear in any mode: a product with a number is a multiple. */
  if (spi_kind(p, a) == SP_KIND_INT) {
    return sp_iscale(p, b, sp_int_value(p, a));
  }
  if (spi_kind(p, b) == SP_KIND_INT) {
    return sp_iscale(p, a, sp_int_value(p, b));
  }
  if (is_number_choice(p, b)) {
    return choose_multiple(p, a, b);
  }
  return is_number_choice(p, a) ? choose_multiple(p, b, a)
                                : spi_ifn(p, "imul", 2, (sp_expr[]){a, b});
}
