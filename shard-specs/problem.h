/* problem.h: a spec and its programs as one problem for the prover.
 *
 * CONTRACT. sp_spec_problem loads the programs that a spec names, rolls the
 * ranks into one (graph/roll.h), fills in constants, gives custom operators
 * their meanings, cuts both programs down to what lies between the inputs
 * (and cuts) and the promised outputs, and turns placements into layouts.
 * Values given inside a program become parameters of it, so what computes them
 * is gone. Raises SP_ERR_INPUT, with the place in the spec where there is one,
 * for all that does not fit together. Where ranks differ in more than numbers
 * they are merged instead (merge.h), and every input and output is one tensor
 * for each rank that has it. The steps are functions of their own, for tests
 * and for `spec init`.
 */
#ifndef SP_SPECS_PROBLEM_H
#define SP_SPECS_PROBLEM_H

#include "base/vec.h"
#include "shard-specs/spec.h"
#include "solve/problem.h"

sp_problem sp_spec_problem(sp_ctx *ctx, const sp_spec *spec);
/* More ranges, as sp_problem_assume, beside those of the spec. */
void sp_spec_assume(sp_ctx *ctx, sp_problem *problem,
                    const sp_assumed_range *assume, size_t n);

/* ---- load.c ---- */
/* FX text or HLO, by content. loc: where the path was written. */
const sp_program *sp_spec_load(sp_ctx *ctx, const char *path, sp_loc loc);
/* The path of a rank's program: {axis} replaced. */
const char *sp_spec_rank_path(sp_ctx *ctx, const sp_spec *spec, int64_t rank);
const char *sp_spec_sequential_path(sp_ctx *ctx, const sp_spec *spec);
bool sp_program_is_hlo(const sp_program *p);

/* ---- operators.c ---- */
/* Custom operators become SP_MEANING_OP nodes, dropout the identity if the
 * spec says so; what was used is added to notes. */
typedef SP_VEC(const char *) sp_spec_notes;
const sp_program *sp_spec_operators(sp_ctx *ctx, const sp_spec *spec,
                                    const sp_program *p, sp_spec_notes *notes);

/* ---- layouts.c ---- */
/* How a tensor is cut; size_out: instead of global->dims[place->dim] for one
 * of the parts of a concat. offset: where the part begins. Raises where sizes
 * do not divide, or where local is not what the ranks would hold. */
typedef struct sp_spec_cut {
  const sp_spec_place *place;
  const sp_tensor *global, *local;
  int64_t part, offset; /* of a concat; part < 0: none */
  int64_t rank;         /* the layout is of this rank alone; -1: of all, and
                           Shard then cuts evenly */
} sp_spec_cut;
const sp_layout *sp_spec_layout(sp_ctx *ctx, const sp_spec *spec,
                                const sp_spec_cut *cut);
/* The size along the concat dimension of the part that local is cut from. */
int64_t sp_spec_part_size(sp_ctx *ctx, const sp_spec *spec,
                          const sp_spec_place *place, const sp_tensor *local);

#endif
