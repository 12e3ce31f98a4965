/* rule_cover.c: the images of many maps are all of a range. Read
 * spi_images_cover.
 *
 * LEMMA. Let each map m_s take its variables v_i, 0 <= v_i < E_i, E_i > 0, to
 *   m_s(v) = r_s + sum a_i v_i
 * where a_i >= 0 and r_s mentions none of the v_i. Let the (a_i, E_i) with
 * a_i > 0, E_i > 1 be digits of a number below N: in order of a_i, each a_i is
 * a multiple of a_j E_j of the one before (of 1, the first), and N is one of
 * the last a_j E_j. The gaps are digits, too: (b, F) with b = a_j E_j and F =
 * a_i / b. If the gaps are the same for all maps, and for all u_g < F_g
 *   some r_s is sum b_g u_g,
 * then each k < N is m_s(v) for some s and v.
 * For: digits and gaps of a map together are a mixed radix, in which the place
 * of each is the product of the extents of those before. So k is sum b_g u_g +
 * sum a_i v_i for some u and v, the digits of k; u is the same for all maps.
 * With the s of this u, k is m_s(v). Points of more dimensions have such digits
 * in each dimension, each v_i is a digit in one, and what r_s is, it is in all
 * dimensions at once.
 * Were a v_i in r_s, as in v + 2 w + 4 v and w + 2 v + 4 (1 - v): some r_s is
 * right for each v, but v is another digit of k in each.
 *
 * That the digits fit together is seen in numbers. What is left to prove does
 * not say how to find the v_i (a quotient of its own for each map, which takes
 * a solver long); and in it the r_s of a rank are numbers, mostly the same ones
 * on each rank in another order, and so the same obligation.
 */
#include "solve/prove.h"

enum { MAX_DIGITS = 16 };

typedef struct digit {
  int64_t place, extent;
} digit;

typedef struct digits {
  uint32_t n;
  digit v[MAX_DIGITS];
} digits;

/* d, in order of places. */
static bool insert(digits *list, digit d) {
  if (list->n == MAX_DIGITS) {
    return false;
  }
  uint32_t at = list->n++;
  for (; at > 0 && list->v[at - 1].place > d.place; at--) {
    list->v[at] = list->v[at - 1];
  }
  list->v[at] = d;
  return true;
}

static int64_t coefficient(const sp_pool *p, sp_expr e, sp_expr var) {
  if (e.v == var.v) {
    return 1;
  }
  if (sp_kind_of(p, e) != SP_KIND_LIN) {
    return 0;
  }
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    if (sp_arg(p, e, i).v == var.v) {
      return sp_lin_coef(p, e, i);
    }
  }
  return 0;
}

/* Which variables of the image are digits of its map d, and the rest of this
 * map; used says which are digits of a dimension before. */
static bool digits_of(sp_pool *p, const spi_image *x, uint32_t d, bool *used,
                      digits *out, sp_expr *rest) {
  *rest = x->map[d];
  for (uint32_t i = 0; i < x->n; i++) {
    int64_t extent = sp_var_extent(p, x->var[i]);
    int64_t place = coefficient(p, x->map[d], x->var[i]);
    if (extent < 1) {
      return false; /* no image */
    }
    if (place > 0 && !used[i]) {
      used[i] = true;
      *rest = sp_isub(p, *rest, sp_iscale(p, x->var[i], place));
      if (extent > 1 && !insert(out, (digit){place, extent})) {
        return false;
      }
    }
  }
  for (uint32_t i = 0; i < x->n; i++) {
    if (sp_has_free(p, *rest, x->var[i])) {
      return false;
    }
  }
  return true;
}

/* The gaps between the digits of numbers below size. */
static bool gaps_of(const digits *list, int64_t size, digits *gaps) {
  int64_t next = 1; /* at most size, which the last one divides */
  if (size < 1) {
    return false;
  }
  for (uint32_t i = 0; i <= list->n; i++) {
    digit d = i < list->n ? list->v[i] : (digit){size, 1};
    if (d.place % next != 0 || d.extent > size / d.place) {
      return false;
    }
    if (d.place > next && !insert(gaps, (digit){next, d.place / next})) {
      return false;
    }
    next = d.place * d.extent;
  }
  return true;
}

static bool same_digits(const digits *a, const digits *b) {
  bool same = a->n == b->n;
  for (uint32_t i = 0; i < a->n && same; i++) {
    same = a->v[i].place == b->v[i].place && a->v[i].extent == b->v[i].extent;
  }
  return same;
}

/* Any number of these digits, each a variable. */
static sp_expr any_number(sp_pool *p, const digits *list) {
  sp_expr sum = sp_int(p, 0);
  for (uint32_t i = 0; i < list->n; i++) {
    sp_expr u = sp_fresh(p, list->v[i].extent);
    sum = sp_iadd(p, sum, sp_iscale(p, u, list->v[i].place));
  }
  return sum;
}

/* The rest of the image's maps is at this point; 0 where it does not have the
 * gaps. The first image says what they are, and the point. */
static sp_expr starts_at(sp_pool *p, const spi_range *range, const spi_image *x,
                         bool first, digits *gaps, sp_expr *point) {
  sp_expr all = sp_bool(p, true);
  bool *used = sp_alloc_n(sp_pool_ctx(p), x->n + 1, sizeof *used);
  for (uint32_t d = 0; d < range->n; d++) {
    digits list = {0}, own = {0};
    sp_expr rest;
    if (!digits_of(p, x, d, used, &list, &rest) ||
        !gaps_of(&list, sp_var_extent(p, range->var[d]), &own)) {
      return (sp_expr){0};
    }
    if (first) {
      gaps[d] = own;
      point[d] = any_number(p, &own);
    } else if (!same_digits(&own, &gaps[d])) {
      return (sp_expr){0};
    }
    all = sp_and(p, all, sp_eq(p, rest, point[d]));
  }
  return all;
}

bool spi_images_cover(sp_prover *pr, const char *rule, const spi_range *range,
                      uint32_t n, const spi_image *v, sp_hyps hyps) {
  sp_pool *p = sp_prover_pool(pr);
  digits *gaps = sp_alloc_n(sp_pool_ctx(p), range->n + 1, sizeof *gaps);
  sp_expr *point = sp_alloc_n(sp_pool_ctx(p), range->n + 1, sizeof *point);
  sp_mode mode = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr some = sp_bool(p, false);
  bool ok = true;
  for (uint32_t i = 0; i < n && ok; i++) {
    sp_expr here = starts_at(p, range, &v[i], i == 0, gaps, point);
    ok = here.v != 0;
    some = ok ? sp_or(p, some, here) : some;
  }
  ok = ok && spi_prove_by_rank(pr, rule, some, hyps);
  sp_pool_mode(p, mode);
  return ok;
}
