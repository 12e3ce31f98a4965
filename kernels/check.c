/* check.c: read sp_kernel_check. */
#include "kernels/kernel.h"

/* Repeats that are loops, and what becomes of them once they are unrolled. */
typedef struct unrolling {
  sp_other_form form; /* first: this is what the check knows of it */
  const sp_kernel *kernel;
  const sp_solver_options *solver;
  const sp_kernel_problem *loops, *out;
  bool done; /* too many steps: out stays as it is */
} unrolling;

static void unroll(sp_ctx *ctx, void *arg) {
  unrolling *u = arg;
  u->out = sp_kernel_lower(ctx, u->kernel, u->solver, SP_KERNEL_UNROLLED_THEN);
}

/* NULL: they cannot be. */
static const sp_kernel_problem *unrolled(sp_ctx *ctx, unrolling *u) {
  if (!u->done) {
    u->done = true;
    sp_protect(ctx, unroll, u);
  }
  return u->out->n_loops < u->loops->n_loops ? u->out : NULL;
}

static const sp_problem *otherwise(sp_ctx *ctx, sp_other_form *form) {
  const sp_kernel_problem *x = unrolled(ctx, (unrolling *)form);
  return x ? &x->problem : NULL;
}

/* Without what is written down on the way: the other form may be what is
 * reported. */
static const sp_report *try_loops(sp_ctx *ctx, unrolling *u,
                                  const sp_check_options *options) {
  sp_check_options quiet = *options;
  quiet.smt2_dir = NULL;
  quiet.log = NULL;
  quiet.statements = false;
  bool written = options->smt2_dir || options->log; /* unrolling, too */
  quiet.other = written ? NULL : &u->form;
  return sp_check_problem(ctx, &u->loops->problem, &quiet);
}

const sp_report *sp_kernel_check(sp_ctx *ctx, const sp_kernel *kernel,
                                 const sp_solver_options *solver,
                                 const sp_check_options *options,
                                 const sp_kernel_problem **lowered) {
  const sp_report *r = NULL;
  sp_check_options now = *options;
  unrolling u = {{otherwise, NULL}, kernel, solver, *lowered, *lowered, false};
  if ((*lowered)->n_loops > 0) {
    r = try_loops(ctx, &u, options);
    if (r->verdict == SP_UNPROVEN && unrolled(ctx, &u)) {
      *lowered = u.out;
      now.other = &u.form;
      r = NULL;
    }
  }
  if (!r || options->smt2_dir || options->log || options->statements) {
    r = sp_check_problem(ctx, &(*lowered)->problem, &now);
  }
  return sp_kernel_report(ctx, *lowered, r);
}
