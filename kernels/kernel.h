/* kernel.h: kernel files (.sp): a sequential definition, a parallel program and
 * what must hold between them, in index notation (docs/kernels.md).
 *
 * CONTRACT. Reading checks the form; lowering resolves names, works out
 * extents, unrolls `repeat` (one of many steps is a loop), proves that every
 * index is inside of its tensor, and gives the two programs and the problem
 * that solve/ takes. Each definition is one node whose meaning is its formula
 * (encode/meaning.h): nothing else is known of it. Errors are SP_ERR_INPUT with
 * file, line and column; an index that is neither proved inside nor seen
 * outside is SP_ERR_UNKNOWN.
 */
#ifndef SP_KERNELS_KERNEL_H
#define SP_KERNELS_KERNEL_H

#include "encode/lang.h"
#include "encode/obligation.h"
#include "solve/check.h"

typedef struct sp_kernel sp_kernel;

/* Steps up to which a repeat is unrolled: at first, and where that fails. */
enum { SP_KERNEL_UNROLLED = 16, SP_KERNEL_UNROLLED_THEN = 64 };

/* What the file says its own verdict is. */
typedef struct sp_kernel_expectation {
  bool given;
  sp_verdict verdict;
  const char *at; /* VIOLATION: the tensor of a promise, or NULL */
  sp_loc loc;
} sp_kernel_expectation;

const sp_kernel *sp_kernel_read_text(sp_ctx *ctx, const char *file,
                                     const char *text, size_t n);
const sp_kernel *sp_kernel_read_file(sp_ctx *ctx, const char *path);
const sp_kernel_expectation *sp_kernel_expects(const sp_kernel *kernel);

/* What a promise is of, in the file's words. */
typedef struct sp_kernel_promise {
  const char *name, *source;
  uint32_t dist; /* the parallel tensor */
  /* An index map: source[read] in the variables and in coordinates, whose
   * names there are axis_names. NULL: a placement. */
  const sp_lang *read;
  uint32_t n_vars;
  const sp_lang_var *vars;
  const char *const *axis_names;
} sp_kernel_promise;

typedef struct sp_kernel_constant {
  const char *name;
  int64_t value;
} sp_kernel_constant;

/* A kernel as a problem, and what people want to read of it. */
typedef struct sp_kernel_problem {
  sp_problem problem;
  uint32_t n_axes; /* of the mesh, outermost first */
  const char *const *axes;
  const int64_t *sizes;
  const sp_kernel_promise *promises; /* as many as the problem's */
  size_t n_constants;
  const sp_kernel_constant *constants;
  uint32_t n_loops; /* repeats that are loops */
} sp_kernel_problem;

/* solver: for the obligations about reads; NULL: the defaults. Repeats of more
 * steps than `unrolled` are loops, where a loop can say what they do. */
const sp_kernel_problem *sp_kernel_lower(sp_ctx *ctx, const sp_kernel *kernel,
                                         const sp_solver_options *solver,
                                         int64_t unrolled);
/* The report, in the file's words. *lowered: as sp_kernel_lower gives it for
 * SP_KERNEL_UNROLLED; where that is neither proved nor refuted longer repeats
 * are unrolled, too, it is checked once more, and *lowered is what the report
 * is of. */
const sp_report *sp_kernel_check(sp_ctx *ctx, const sp_kernel *kernel,
                                 const sp_solver_options *solver,
                                 const sp_check_options *options,
                                 const sp_kernel_problem **lowered);

/* "@g = 2, @h = 0" */
const char *sp_kernel_rank_text(sp_ctx *ctx, const sp_kernel_problem *x,
                                int64_t rank);
/* A report of the problem in the file's words. */
const sp_report *sp_kernel_report(sp_ctx *ctx, const sp_kernel_problem *x,
                                  const sp_report *report);

#endif
