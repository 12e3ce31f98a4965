/* campaign_grow.h: adding operators to a random program. Inside of
 * campaign_generate.c and campaign_grow_*.c.
 *
 * Each grow_* adds an operator, with what it needs around it, or nothing where
 * no operand suits. Numbers stay tame: every node knows a bound of its size and
 * how many binary digits it has behind the point (campaign_bound.c). What makes
 * decisions (comparing, rounding, sorting) takes only numbers that were never
 * rounded, so that two orders of adding up cannot decide differently.
 */
#ifndef SP_TESTS_CAMPAIGN_GROW_H
#define SP_TESTS_CAMPAIGN_GROW_H

#include "tests/campaign.h"

enum { MAX_ELEMENTS = 192 };

typedef struct maker {
  camp_program *p;
  camp_rng rng;
  int64_t sizes[3]; /* that dimensions have */
  bool inner;       /* in a loop's body: no new parameters */
} maker;

/* ---- campaign_pick.c: operands ---- */

typedef bool (*suits)(const camp_node *n);
bool is_real(const camp_node *n);
bool is_int(const camp_node *n);
bool is_pred(const camp_node *n);
bool is_number(const camp_node *n);
bool is_any(const camp_node *n);
bool is_exact(const camp_node *n); /* never rounded */

const camp_node *at(const maker *m, uint32_t n);
/* A node that suits with so many dimensions, rather a late one; none that is
 * the same for all inputs. */
bool pick(maker *m, suits ok, uint32_t least, uint32_t most, uint32_t *out);
bool same_shape(const camp_node *a, const camp_node *b);
uint32_t constant(maker *m, uint32_t like, double v);
uint32_t scalar_int(maker *m);
/* y in the shape of x, where its dimensions are among those of x. */
bool fit(maker *m, uint32_t x, uint32_t *y);
/* Another tensor in the shape of x. */
uint32_t partner(maker *m, uint32_t x, suits ok);
int64_t any_size(maker *m);
/* Small again: what follows may multiply. */
uint32_t calm(maker *m, uint32_t x);

typedef void (*grower)(maker *m);

/* ---- campaign_grow_element.c: element by element, and moving them ---- */
void grow_unary(maker *m);
void grow_of_positive(maker *m);
void grow_rounding(maker *m);
void grow_binary(maker *m);
void grow_divide(maker *m);
void grow_power(maker *m);
void grow_bits(maker *m);
void grow_logic(maker *m);
void grow_compare(maker *m);
void grow_select(maker *m);
void grow_clamp(maker *m);
void grow_convert(maker *m);
void grow_broadcast(maker *m);
void grow_reshape(maker *m);
void grow_transpose(maker *m);
void grow_slice(maker *m);
void grow_reverse(maker *m);
void grow_pad(maker *m);
void grow_concat(maker *m);
void grow_iota(maker *m);
void grow_constant(maker *m);

/* ---- campaign_grow_tensor.c: contractions, looking up ---- */
void grow_reduce(maker *m);
void grow_dot(maker *m);
void grow_conv(maker *m);
void grow_window(maker *m);
void grow_gather(maker *m);
void grow_scatter(maker *m);
void grow_dynamic(maker *m);
void grow_sort(maker *m);

#endif
