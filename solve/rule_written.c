/* rule_written.c: a reduction over few points is the combination of its points.
 *
 * LEMMA. op_{k < n} f(k) = f(0) op f(1) op ... op f(n - 1), op associative with
 * any order of the points: what a reduction means. n is 16 at most.
 *
 * For what collectives of a few ranks combine: parts written into zeros, rows
 * looked up where they are, masks by the rank. Z3 then sees the cases. While
 * tensors are related only elements that are moved are written out: that a
 * partial result happens to be the whole at the last step of a ring is true,
 * and hides from the next step that it is like the ones before.
 */
#include "solve/prove.h"
#include "solve/seen.h"

enum {
  MAX_POINTS = 16,
  MAX_ALL = 256,
  MAX_VARS = 8,
  MAX_SIZE = 20000,
  MAX_GIVEN = 300,
  MAX_CHOICES = 32
};

typedef struct writer {
  sp_prover *pr;
  bool moves;     /* only what moves elements */
  int64_t points; /* of one reduction */
  int64_t all;    /* written so far */
} writer;

/* Elements, constants, choices between them. */
static bool only_moves(const sp_pool *p, sp_expr e, int depth) {
  sp_kind kind = sp_kind_of(p, e);
  if (sp_sort_of(p, e) != SP_SORT_REAL) {
    return !sp_has_red(p, e);
  }
  if (kind == SP_KIND_ITE && depth < MAX_CHOICES) {
    return only_moves(p, sp_arg(p, e, 1), depth + 1) &&
           only_moves(p, sp_arg(p, e, 2), depth + 1);
  }
  return kind == SP_KIND_READ || kind == SP_KIND_NUM;
}

/* Is the reduction a choice among elements of a few ranks? Maxima of reals are
 * computed. */
static bool moves_elements(const sp_pool *p, sp_red_op op, sp_expr body) {
  bool real = sp_sort_of(p, body) == SP_SORT_REAL;
  return (!real || op == SP_RED_SUM) && only_moves(p, body, 0);
}

/* The body at each point, combined; 0: too many of them. */
static sp_expr all_points(writer *x, sp_expr red) {
  sp_pool *p = sp_prover_pool(x->pr);
  uint32_t n = sp_red_n_vars(p, red);
  sp_expr var[MAX_VARS], at[MAX_VARS], out = {0};
  sp_red_op op = sp_red_op_of(p, red);
  bool logic = op == SP_RED_OR || op == SP_RED_AND;
  if (n > MAX_VARS || logic != (sp_sort_of(p, red) == SP_SORT_BOOL)) {
    return out;
  }
  sp_expr body = sp_red_open(p, red, var);
  if (x->moves && !moves_elements(p, op, body)) {
    return out;
  }
  int64_t total = 1;
  for (uint32_t i = 0; i < n; i++) {
    int64_t extent = sp_var_extent(p, var[i]);
    total = total > x->points ? total : total * extent;
  }
  if (total < 1 || total > x->points || (x->all += total) > MAX_ALL) {
    return out;
  }
  for (int64_t k = 0; k < total; k++) {
    int64_t rest = k;
    for (uint32_t i = n; i-- > 0;) {
      int64_t extent = sp_var_extent(p, var[i]);
      at[i] = sp_int(p, rest % extent);
      rest /= extent;
    }
    sp_expr e = sp_subst(p, body, n, var, at);
    out = k ? sp_red_two(p, op, out, e) : e;
  }
  return out;
}

static sp_expr write_node(void *env, sp_pool *p, sp_expr e) {
  writer *x = env;
  if (!sp_has_red(p, e)) {
    return e;
  }
  if (sp_kind_of(p, e) != SP_KIND_RED || sp_red_op_of(p, e) == SP_RED_LAMBDA) {
    return (sp_expr){0};
  }
  sp_expr out = all_points(x, e);
  return out.v && sp_has_red(p, out) ? sp_map(p, out, write_node, env) : out;
}

sp_expr spi_written_points(sp_prover *pr, sp_expr red, int64_t points) {
  writer x = {pr, false, points, 0};
  return all_points(&x, red);
}

sp_expr spi_written_out(sp_prover *pr, sp_expr e, bool moves) {
  sp_pool *p = sp_prover_pool(pr);
  writer x = {pr, moves, MAX_POINTS, 0};
  if (spi_term_size(p, e, MAX_GIVEN) >= MAX_GIVEN) {
    return e;
  }
  sp_mode was = sp_pool_mode(p, SP_MODE_RAW_INDEX);
  sp_expr out = sp_map(p, e, write_node, &x);
  sp_pool_mode(p, was);
  return spi_term_size(p, out, MAX_SIZE) < MAX_SIZE ? out : e;
}
