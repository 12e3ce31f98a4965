/* quotient.c: candidates for quotients. Read spi_find_quotient.
 *
 * Blocks of a softmax that are merged by the logarithms of their sums, one
 * after the other, are quotients whose denominators have quotients in them, and
 * have no skeleton in common with the softmax of all. So sequential tensors
 * near the last match are written as quotients, too, and compared by value. So
 * is, where ranks stand side by side, a block that is all of its rows: the
 * others are masked there, which the softmax of all shows by its definition
 * only.
 */
#include <string.h>

#include "solve/seen.h"
#include "solve/state.h"

enum { WINDOW_BEFORE = 20, WINDOW_AFTER = 40 };

static bool is_inverse(const sp_pool *p, sp_expr e) {
  return sp_kind_of(p, e) == SP_KIND_FN && strcmp(sp_fn_name(p, e), "inv") == 0;
}

/* Inverses outside of reductions, one in what the other inverts: how deep, up
 * to most. */
static int nesting(sp_pool *p, sp_expr e, int most, spi_seen *seen) {
  if (sp_sort_of(p, e) != SP_SORT_REAL || sp_kind_of(p, e) == SP_KIND_RED ||
      !sp_has_red(p, e) || most == 0 || spi_seen_before(seen, e)) {
    return 0;
  }
  if (is_inverse(p, e)) {
    spi_seen again = {.ctx = seen->ctx};
    return 1 + nesting(p, sp_arg(p, e, 0), most - 1, &again);
  }
  int deepest = 0;
  for (uint32_t i = 0; i < sp_n_args(p, e) && deepest < most; i++) {
    int n = nesting(p, sp_arg(p, e, i), most, seen);
    deepest = n > deepest ? n : deepest;
  }
  return deepest;
}

static bool is_nested(sp_state *s, sp_expr e, int most) {
  sp_mark mark = sp_scratch_mark(s->ctx);
  spi_seen seen = {.ctx = s->ctx};
  bool nested = nesting(s->pool, e, most, &seen) >= most;
  sp_scratch_release(s->ctx, mark);
  return nested;
}

static void prepare(sp_state *s) {
  uint32_t from = s->last > WINDOW_BEFORE ? s->last - WINDOW_BEFORE : 0;
  uint32_t to = s->last + WINDOW_AFTER;
  for (uint32_t t = from; t < to && t < s->seq_program->n_tensors; t++) {
    seq_tensor *v = &s->seq[t];
    if (v->def.v && !v->opaque && !v->quotient.v &&
        sp_sort_of(s->pool, v->def) == SP_SORT_REAL &&
        sp_kind_of(s->pool, v->def) != SP_KIND_READ) {
      sp_expr e = spi_unfold_quotients(s, v->def, false);
      v->quotient = e.v ? e : v->def;
    }
  }
}

bool spi_find_quotient(sp_state *s, spi_attempt *a) {
  bool apart = s->dist_program->tensors[a->dist].on;
  if (!apart && !is_nested(s, a->term, 2)) {
    return false;
  }
  spi_attempt x = *a;
  x.form = SPI_FORM_QUOTIENT;
  x.term = spi_unfold_quotients(s, a->term, false);
  if (!x.term.v || !is_nested(s, x.term, apart ? 1 : 2)) {
    return false;
  }
  prepare(s);
  if (!spi_try_placements(s, &x)) {
    return false;
  }
  a->seq = x.seq;
  memcpy(a->phi, x.phi, sizeof a->phi);
  return true;
}
