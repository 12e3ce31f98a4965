/* loop.h: loops on both sides, by induction over the step.
 *
 * CONTRACT. A distributed `while` is related to a sequential one: the carried
 * tensors get relations that hold before the first step (proved), are kept by
 * the body at a symbolic step t (proved, by the same propagation loop on the
 * bodies), and so hold after the last one; both loops make the same number of
 * steps (proved: the conditions hold at every step before the last, and not
 * after it). Cost does not depend on the trip count. Internal to solve/.
 *
 * LEMMA. Let S and D carry s(t), d(t) and run while c_S(s), c_D(d). If
 * d(0) = R s(0); d(t) = R s(t) implies d(t+1) = R s(t+1) for 0 <= t < n; and
 * under d(t) = R s(t) both conditions are true for 0 <= t < n and false at
 * t = n; then both end after n steps with d(n) = R s(n). Where the number of
 * steps is not known, it is enough that d(t) = R s(t) implies d(t+1) = R s(t+1)
 * and c_S(s(t)) = c_D(d(t)): then both end at the same step, or neither does,
 * and R holds there. Step counters are then carried tensors like the others.
 */
#ifndef SP_SOLVE_LOOP_H
#define SP_SOLVE_LOOP_H

#include "solve/state.h"

/* A scalar that is first + step * t before step t; step 0: a constant. */
typedef struct loop_counter {
  bool known;
  int64_t first, step;
} loop_counter;

/* One side's loop, as far as it can be seen without the other side. */
typedef struct loop_shape {
  const sp_program *condition, *body;
  uint32_t n; /* carried tensors */
  loop_counter *counter;
  int64_t trips; /* -1: not worked out */
  const char *why; /* then */
} loop_shape;

/* Guess counters and trip count; initial[k]: the carried scalar's value before
 * the loop, or 0 (none). Nothing of it is trusted. */
void spi_loop_shape(sp_state *s, const sp_node *node, const sp_expr *initial,
                    loop_shape *shape);

/* Loops without a counterpart are unrolled up to this many steps. */
enum { SPI_UNROLL_MAX = 64 };
/* Walk the body once for each step; false when the number of steps was not
 * proved. */
bool spi_loop_unroll(sp_state *s, const sp_node *node,
                     const loop_shape *shape);

/* Relate the results of a distributed `while`. */
void spi_loop_relate(sp_state *s, const sp_node *node);

#endif
