/* mender.h: candidates for repairs. For solve/repair*.c.
 *
 * Each spi_try_* function offers changes of one node to spi_offer, which runs
 * them; they stop and return true at the first that mends everything.
 */
#ifndef SP_SOLVE_MENDER_H
#define SP_SOLVE_MENDER_H

#include "solve/edit.h"
#include "solve/repair.h"

/* Groups of one size with all ranks in them. */
typedef struct spi_grouping {
  const sp_groups *groups;
  const char *text; /* "the ranks that differ in ...", or the groups */
} spi_grouping;

typedef struct spi_mender {
  spi_bench *b;
  sp_state *s;
  const sp_program *program; /* that is changed: the whole one or a body */
  const dist_tensor *known;  /* of its tensors; NULL: nothing */
  uint32_t loop;   /* whose body it is: node of the whole one, or UINT32_MAX */
  uint32_t result; /* of the whole program: the wrong one */
  SP_VEC(spi_grouping) groupings;
  uint32_t trials;
  size_t bytes; /* of the context, before */
  spi_mend mend;
} spi_mender;

/* The node's result times `scale`, operand `scaled` - 1 times `factor`, and the
 * result 0 where tensor `masked` - 1 holds (or, where_off, does not): one truth
 * value for each block of its last dimensions. 0: as they are. Not inside
 * loops. */
typedef struct spi_scaling {
  double scale, factor;
  uint32_t scaled, masked;
  bool where_off;
} spi_scaling;

bool spi_offer(spi_mender *m, const spi_edit *edit, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Several changes at once, of the whole program; the first is the place. */
bool spi_offer_all(spi_mender *m, uint32_t n, const spi_edit *edits,
                   const char *fmt, ...) __attribute__((format(printf, 4, 5)));
bool spi_offer_scaled(spi_mender *m, const spi_edit *edit, spi_scaling scaling,
                      const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
bool spi_is_op(const sp_node *node, const char *hlo);
/* "add": aten.add.Tensor, torch.add, ... */
bool spi_is_fx(const sp_node *node, const char *stem);

/* ---- repair_step.c ---- */
/* The first step at which the loop's body and the mended one return different
 * values in the bench's run; -1: none was found. */
int64_t spi_first_step(spi_mender *m, const sp_program *mended);

/* ---- repair_collective.c ---- */
void spi_find_groupings(spi_mender *m);
bool spi_try_collective(spi_mender *m, uint32_t node);
/* An all-reduce behind it; _sum: only behind what sums. */
bool spi_try_missing(spi_mender *m, uint32_t node);
bool spi_try_missing_sum(spi_mender *m, uint32_t node);
bool spi_try_sending(spi_mender *m, uint32_t node);
bool spi_try_scale(spi_mender *m, uint32_t node);
/* ---- repair_node.c ---- */
/* A number by the one next to it; any change of a constant but that. */
bool spi_try_next(spi_mender *m, uint32_t node);
bool spi_try_constant(spi_mender *m, uint32_t node);
/* Operands in another order, comparisons in another direction. */
bool spi_try_swapped(spi_mender *m, uint32_t node);
bool spi_try_node(spi_mender *m, uint32_t node);
bool spi_try_position(spi_mender *m, uint32_t node);
bool spi_try_slice(spi_mender *m, uint32_t node);
/* Operands a and b swapped. */
bool spi_try_operands(spi_mender *m, uint32_t node, uint32_t a, uint32_t b);
/* ---- repair_mask.c ---- */
bool spi_try_mask(spi_mender *m, uint32_t node);
/* ---- repair_edge.c ---- */
bool spi_try_edge_number(spi_mender *m, uint32_t node);
bool spi_try_edge(spi_mender *m, uint32_t node);
/* ---- repair_fx.c ---- */
bool spi_try_fx(spi_mender *m, uint32_t node);
/* "1, 2, 3" */
const char *spi_ints_text(sp_ctx *ctx, const int64_t *v, size_t n);
/* ---- repair_number.c ---- */
bool spi_try_numbers(spi_mender *m, uint32_t node);

#endif
