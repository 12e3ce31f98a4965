/* check.c: read sp_kernel_check. */
#include "kernels/kernel.h"

typedef struct unrolling {
  const sp_kernel *kernel;
  const sp_solver_options *solver;
  const sp_kernel_problem *out;
} unrolling;

static void unroll(sp_ctx *ctx, void *arg) {
  unrolling *u = arg;
  u->out = sp_kernel_lower(ctx, u->kernel, u->solver, SP_KERNEL_UNROLLED_THEN);
}

/* Without what is written down on the way: the other form may be what is
 * reported. */
static const sp_report *try_loops(sp_ctx *ctx, const sp_kernel_problem *x,
                                  const sp_check_options *options) {
  sp_check_options quiet = *options;
  quiet.smt2_dir = NULL;
  quiet.log = NULL;
  quiet.statements = false;
  return sp_check_problem(ctx, &x->problem, &quiet);
}

const sp_report *sp_kernel_check(sp_ctx *ctx, const sp_kernel *kernel,
                                 const sp_solver_options *solver,
                                 const sp_check_options *options,
                                 const sp_kernel_problem **lowered) {
  const sp_report *r = NULL;
  if ((*lowered)->n_loops > 0) {
    r = try_loops(ctx, *lowered, options);
    if (r->verdict == SP_UNPROVEN) {
      unrolling u = {kernel, solver, *lowered};
      sp_protect(ctx, unroll, &u); /* too many steps: it stays as it is */
      r = u.out->n_loops < (*lowered)->n_loops ? NULL : r;
      *lowered = r ? *lowered : u.out;
    }
  }
  if (!r || options->smt2_dir || options->log || options->statements) {
    r = sp_check_problem(ctx, &(*lowered)->problem, options);
  }
  return sp_kernel_report(ctx, *lowered, r);
}
