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

/* A scalar that is first + step * t before step t; step 0: a constant. turns >
 * 0: first + step * ((t div unit) mod turns), a digit of the step. */
typedef struct loop_counter {
  bool known;
  int64_t first, step, unit, turns;
} loop_counter;

/* One side's loop, as far as it can be seen without the other side. */
typedef struct loop_shape {
  const sp_program *condition, *body;
  uint32_t n; /* carried tensors */
  loop_counter *counter;
  int64_t trips;   /* -1: not worked out */
  const char *why; /* then */
} loop_shape;

/* Guess counters and trip count of a loop of either side, from what is known
 * before it. Nothing of it is trusted. */
void spi_loop_shape_seq(sp_state *s, const sp_node *node, loop_shape *shape);
void spi_loop_shape_dist(sp_state *s, const sp_node *node, loop_shape *shape);

/* ... those that count around, for a start (loop_cycle.c). */
void spi_find_cycles(sp_state *body, const sp_expr *initial, loop_shape *shape);
/* A region's result as a term over the symbols of its parameters. */
sp_expr spi_region_value(sp_state *region, uint32_t tensor);

/* The counter before a step. */
sp_expr spi_loop_count(sp_state *s, const loop_counter *c, sp_expr step);

/* The program, or a node of it, asks for the tensor. */
bool spi_is_used(const sp_program *p, uint32_t tensor);

/* ---- a distributed loop without a counterpart ---- */

/* What is known of the carried tensors before a step. */
typedef struct spi_carry {
  dist_tensor *v;
} spi_carry;

/* The distributed side of the state, put aside while a region is walked. */
typedef struct spi_aside {
  const sp_program *program;
  dist_tensor *dist;
  spi_partial *sums; /* they are about these tensors */
  size_t n_sums, cap_sums;
} spi_aside;

spi_aside spi_region_enter(sp_state *s, const sp_program *region);
void spi_region_leave(sp_state *s, spi_aside a);
void spi_region_give(sp_state *s, const sp_program *region, const spi_carry *c,
                     const char *how);
/* List the region's tensors in the report. */
void spi_region_keep(sp_state *s, const char *name);
/* A tensor with its definitions made if need be. */
dist_tensor spi_dist_known(sp_state *s, uint32_t t);
/* The condition has the value under c: proved. */
bool spi_carry_condition(sp_state *s, const sp_program *region,
                         const spi_carry *c, bool value);

/* What has no closed form is unrolled up to this many steps. */
enum { SPI_UNROLL_MAX = 64 };
/* Walk the body once for each step; false when the number of steps was not
 * proved. */
bool spi_loop_unroll(sp_state *s, const sp_node *node, const loop_shape *shape);
/* Results without a relation of a loop that has a counterpart, where open:
 * those that have closed forms get them as definitions. True: all. */
bool spi_loop_rest(sp_state *s, const sp_node *node, const loop_shape *shape,
                   const bool *open);
/* Give the results closed forms as definitions (loop_closed.h); false when that
 * cannot be done. whole: only if it can for all that are used. why: what to say
 * of the others. */
bool spi_loop_alone(sp_state *s, const sp_node *node, const loop_shape *shape,
                    bool whole, const char *why);

/* Relate the results of a distributed `while`, or give them definitions. */
void spi_loop_relate(sp_state *s, const sp_node *node);

#endif
