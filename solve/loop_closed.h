/* loop_closed.h: what a loop computes, as terms without a loop.
 *
 * CONTRACT. Given what the body makes of each carried tensor, as terms over
 * names for the carried tensors and the step t, find for each a closed form: a
 * term for its value before step t, and one for its value after the last. No
 * other program is looked at, so loops that only one side has can be related
 * like any operator. Cost does not depend on the number of steps. What has no
 * closed form stays unknown. Internal to solve/.
 *
 * LEMMA (induction). If x(0) = f(0), and x(t) = f(t) implies x(t+1) = f(t+1)
 * for 0 <= t < T, then x(t) = f(t) for 0 <= t <= T. Let e(t) be what the body
 * makes of x, as a term that reads no other carried tensor but by its closed
 * form, i the indices of an element, x0 its value before the loop. Then, for
 *
 *   same     e = x               x(t) = x0
 *   last     e without x         x(t) = x0 if t = 0, else e(t-1)
 *   reduced  e = x op g          x(t) = x0 op g(0) op .. op g(t-1)
 *            (op one of + * max min or and; g without x)
 *   restarted e = (the operation's identity where c, else x) op g, and c(t,i)
 *            implies t = w(i)
 *                                x(t)[i] = g(w) op .. op g(t-1) where
 *                                0 <= w(i) < t and c(w(i), i), else as reduced
 *   written  e = g where c, else x, and c(t,i) implies t = w(i)
 *                                x(t)[i] = g(w(i), i) where 0 <= w(i) < t and
 *                                c(w(i), i), else x0[i]
 *   moved    e = x on rank q(r), q a function of the rank r alone
 *                                x(t)[r] = x0 on rank p(t, r), where
 *                                p(0, r) = r, p(t+1, r) = p(t, q(r)), and
 *                                p(t, r) is a rank
 *   rescaled c(t+1) e = c(t) x + h (h without x), where c(t) = exp(m(t)), m a
 *            maximum over the steps
 *                                x(t) = (c(0) x0 + h(0) + .. + h(t-1)) / c(t)
 *                                for t > 0
 *
 * the step is: same and last by definition; reduced since the reduction over
 * u < t+1 is the one over u < t, op g(t); restarted since at the one step where
 * c holds, w(i), what was carried is dropped, and before and after it x grows
 * by g; written since at most one step writes an element, and it is known
 * which; moved since x(t+1)[r] = x(t)[q(r)]; rescaled since c x grows by h, and
 * c(t) is not 0 where m(t) is finite (finite.c) for t > 0. What stands after
 * "where" and "e = .." are the obligations, for x (and m) any functions.
 */
#ifndef SP_SOLVE_LOOP_CLOSED_H
#define SP_SOLVE_LOOP_CLOSED_H

#include "solve/state.h"

typedef struct spi_carried {
  sp_sym sym;         /* its name in `after` */
  uint32_t n;         /* index variables of the name */
  const sp_expr *idx; /* the rank comes first on the distributed side */
  sp_expr after;      /* what the body makes of it (raw); 0: not known */
  sp_expr first;      /* before the loop (raw) */
  sp_expr at, end;    /* found: before step t, after the last; 0: not found */
  bool maximum;       /* of reals, over the steps */
} spi_carried;

typedef struct spi_closing {
  sp_state *s;
  sp_expr step;  /* a variable */
  int64_t trips; /* its extent, >= 2 */
  /* Names from this one on are of things in the body: they mean something else
   * at every step. */
  sp_sym inner;
  uint32_t n;
  spi_carried *v;
} spi_closing;

/* Fill in `at` and `end` where they are found. */
void spi_loop_close(spi_closing *c);

/* ---- internal: one kind each; true when at and end were set ---- */
bool spi_close_reduced(spi_closing *c, spi_carried *x, sp_expr e);
bool spi_close_restarted(spi_closing *c, spi_carried *x, sp_expr e);
bool spi_close_written(spi_closing *c, spi_carried *x, sp_expr e);
bool spi_close_moved(spi_closing *c, spi_carried *x, sp_expr e);
bool spi_close_rescaled(spi_closing *c, spi_carried *x);

/* Besides own ({0}: none), e reads nothing that changes from step to step but
 * the step itself. */
bool spi_reads_outer(const spi_closing *c, sp_expr e, sp_sym own);
/* The one step at which the condition holds, for each element: proved. It is a
 * term without the step; 0: none was found. */
sp_expr spi_step_where(spi_closing *c, sp_expr condition);
/* Variables for the digits of the step that e asks for (all of it, if for
 * none), and the step as a term of them. Returns how many. */
enum { SPI_MAX_DIGITS = 8 };
uint32_t spi_step_digits(const spi_closing *c, sp_expr e, sp_expr *var,
                         sp_expr *step);
/* e with reads of names replaced by their closed forms, where these are
 * known. */
sp_expr spi_closed_reads(spi_closing *c, sp_expr e);
sp_expr spi_at_step(const spi_closing *c, sp_expr e, sp_expr step);

#endif
