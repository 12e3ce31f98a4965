/* layers.h: what was proved of one layer holds of the next, with other names.
 *
 * LEMMA. A relation of a distributed tensor t' follows from equations: the
 * operators between t' and related tensors, the relations of these, and the
 * definitions of some sequential tensors (the OPENED ones), and from what is
 * known of the values of the symbols in these (also of an opened one that had
 * its name before: what is known of it may rest on more than is opened). Let a
 * map take distributed tensors to distributed ones, t' to t, and sequential
 * tensors to sequential ones, such that each of these equations becomes one
 * that holds: operators are the same function (sp_op_same) with the same
 * shapes, relations become the relations of the images, definitions those of
 * the images, and of each image the same is known. Then the relation of t',
 * with sequential tensors replaced by their images, holds of t: the same proof,
 * in which every obligation is one that Z3 has answered up to the names of
 * symbols.
 *
 * CONTRACT. spi_layers_relate looks for such a t' among the tensors that were
 * looked at before and finds the map: from relations of operands, then forward
 * through the opened tensors. All of the above is compared exactly; where
 * anything is not found or not the same the tensor is looked at like any other.
 * So a further layer costs a comparison for each of its tensors, and no terms.
 * That t' has no relation is taken for t having none: that proves nothing, but
 * may leave a program unproved, and such a check is made again without this
 * (check.c). Part of the trusted base. Internal to solve/.
 */
#ifndef SP_SOLVE_LAYERS_H
#define SP_SOLVE_LAYERS_H

#include "solve/state.h"

typedef struct spi_layers spi_layers;

/* NULL where tensors are not looked at in this way: programs with loops, or
 * ranks that are related one by one, or two versions of one program. */
spi_layers *spi_layers_new(sp_state *s);
/* Like an earlier tensor: related, or found to have no relation, as that is. */
bool spi_layers_relate(sp_state *s, uint32_t dist);
/* Around looking at a tensor in the usual way. */
void spi_layers_begin(sp_state *s, uint32_t dist);
void spi_layers_end(sp_state *s, uint32_t dist);
/* Meanwhile: the definition of a sequential tensor is used, one becomes an
 * anchor. What was opened since a mark was in vain. NULL: nothing is kept. */
void spi_layers_open(spi_layers *l, uint32_t seq);
void spi_layers_anchor(spi_layers *l, uint32_t seq);
size_t spi_layers_mark(const spi_layers *l);
void spi_layers_reset(spi_layers *l, size_t mark);
/* Any tensor done by spi_layers_relate? */
bool spi_layers_used(const spi_layers *l);

#endif
