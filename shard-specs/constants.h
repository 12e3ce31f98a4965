/* constants.h: values that the texts of programs leave out, from the spec.
 *
 * CONTRACT. A constant of PyTorch (fx:get_attr) is called by its name in the
 * module, one of HLO ({...}) by its instruction. One number becomes the
 * attribute "value" of the node (encode/ops/aten_input.c), an array makes the
 * node an hlo:constant. used[i] is set where constant i was found. Raises
 * SP_ERR_INPUT where type or shape differ.
 */
#ifndef SP_SPECS_CONSTANTS_H
#define SP_SPECS_CONSTANTS_H

#include "shard-specs/spec.h"

/* rank: of the program, or -1 where it is that of all. */
const sp_program *sp_spec_constants(sp_ctx *ctx, const sp_spec_side *side,
                                    const sp_program *p, int64_t rank,
                                    bool *used);

#endif
