/* cut.h: the part of a program between given tensors and wanted ones.
 *
 * CONTRACT. The result has a parameter for each given tensor that is needed
 * (parameters of the program among them), and exactly the nodes that compute
 * the wanted tensors from those; its results are the wanted tensors. Tensors
 * keep name, shape and place. to[] maps old tensor numbers to new ones,
 * SP_NO_TENSOR for those that are gone.
 */
#ifndef SP_SPECS_CUT_H
#define SP_SPECS_CUT_H

#include "graph/program.h"

typedef struct sp_cut_out {
  const sp_program *program;
  const uint32_t *to;
} sp_cut_out;

sp_cut_out sp_program_cut(sp_ctx *ctx, const sp_program *p, size_t n_wanted,
                          const uint32_t *wanted, const bool *given);

#endif
