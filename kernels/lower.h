/* lower.h: shared by the files that lower kernels. Inside kernels/ only.
 *
 *   lower.c       the whole; statements in order, repeat
 *   loop.c        a repeat of many steps as a loop
 *   declare.c     constants, functions, mesh, inputs, names of tensors
 *   define.c      one definition as a node: its operands, its meaning
 *   bounds.c      every index inside of its tensor, proved
 *   relation.c    placements as index maps and as layouts
 *   collective.c  named collectives as formulas
 *   promise.c     what is to be proved
 *   cover.c       every sequential element is held by some rank
 */
#ifndef SP_KERNELS_LOWER_H
#define SP_KERNELS_LOWER_H

#include "encode/lang_names.h"
#include "encode/meaning.h"
#include "kernels/ast.h"
#include "kernels/build.h"
#include "solve/prove.h"

enum { SPI_MAX_NODES = 20000, SPI_MAX_RANKS = 1 << 20 };

/* A name of a tensor, and the version that it has now. */
typedef struct spi_current {
  const char *name;
  uint32_t tensor, versions;
} spi_current;

/* One of the two programs under construction. */
typedef struct spi_side {
  bool parallel;
  int64_t ranks;
  SP_VEC(sp_node) nodes;
  SP_VEC(sp_tensor) tensors;
  SP_VEC(uint32_t) params, results;
  SP_VEC(spi_current) current;
  SP_VEC(sp_sym) symbols; /* by tensor; bounds.c */
  /* Of a loop (loop.c): its first parameter, which goes from there on. */
  const char *counter;
  int64_t from, steps;
} spi_side;

typedef struct spi_bounds spi_bounds;

/* What stands after where; does it hold anywhere, in some step of repeats? */
typedef struct spi_guard {
  const spi_statement *statement;
  bool holds;
} spi_guard;

typedef struct spi_lowering {
  sp_ctx *ctx;
  const sp_kernel *kernel;
  const sp_solver_options *solver;
  sp_lang_names names;
  SP_VEC(sp_meaning_param) constants;  /* let, counters: their values */
  SP_VEC(sp_meaning_statement) locals; /* functions, let with coordinates */
  SP_VEC(sp_meaning_axis) axes;        /* of the parallel program */
  spi_side seq, par;
  SP_VEC(sp_range_given) ranges;
  SP_VEC(sp_placed) promised;
  SP_VEC(sp_kernel_promise) told; /* by promise */
  SP_VEC(const char *) notes;
  spi_bounds *bounds;
  uint32_t done; /* statements */
  SP_VEC(spi_guard) guards;
  SP_VEC(sp_kernel_constant) counters; /* of repeats around, unrolled */
  int64_t unrolled;                    /* repeats of more steps are loops */
  uint32_t loops;                      /* that were not */
} spi_lowering;

/* ---- lower.c ---- */
void spi_lower_statements(spi_lowering *l, spi_side *side,
                          const spi_statements *list);
/* Names of values that were not there before are gone. */
void spi_forget(spi_lowering *l, size_t names, size_t constants, size_t locals);
const sp_program *spi_finish_side(spi_lowering *l, spi_side *side,
                                  const char *name);

/* ---- loop.c ---- */
/* The repeat as one loop; false: it is to be unrolled, nothing has changed. */
bool spi_lower_loop(spi_lowering *l, spi_side *side, const spi_statement *s,
                    int64_t from, int64_t steps);

/* ---- declare.c ---- */
void spi_lower_let(spi_lowering *l, const spi_statement *s);
void spi_add_constant(spi_lowering *l, const char *name, sp_loc loc,
                      int64_t value);
void spi_lower_function(spi_lowering *l, const spi_function *f);
void spi_lower_mesh(spi_lowering *l);
/* NULL: there is no such axis in the file. */
const spi_declared *spi_declared_axis(const spi_lowering *l, const char *name);
void spi_lower_input(spi_lowering *l, const spi_declared *d);
void spi_lower_assumption(spi_lowering *l, const sp_lang *e);
/* For names.elsewhere; user is the lowering. */
const char *spi_elsewhere(void *user, const char *name);
int64_t spi_integer(spi_lowering *l, const sp_lang *e);
/* A size: an integer from 1 to what tensors may have. */
int64_t spi_extent(spi_lowering *l, const sp_lang *e);
/* A tensor that the formula reads, or NULL. */
const sp_lang *spi_read_in(const spi_lowering *l, const sp_lang *e);
/* NULL: not there. */
spi_current *spi_find(spi_side *side, const char *name);
/* The tensor of that name now; raises where there is none. */
uint32_t spi_tensor_of(spi_lowering *l, spi_side *side, const char *name,
                       sp_loc loc);
/* "it is on g, h" */
const char *spi_axes_hint(const spi_lowering *l);
uint32_t spi_axis_index(spi_lowering *l, const char *name, sp_loc loc);

/* ---- define.c ---- */
/* A definition to make: name[vars] = body. */
typedef struct spi_definition {
  const char *name;
  sp_loc loc;
  sp_dtype dtype; /* INVALID: as the formula has it */
  uint32_t n_vars;
  const sp_lang_var *vars; /* with sizes */
  const sp_lang *body;
} spi_definition;
/* Its results become what the names mean. */
void spi_add_node(spi_lowering *l, spi_side *side, sp_node node, uint32_t n_out,
                  const char *const *names, const sp_shape *shapes, sp_loc loc);
void spi_add_param(spi_lowering *l, spi_side *side, const char *name,
                   sp_loc loc, sp_shape shape);
/* Adds a node; its tensor becomes what the name means. */
uint32_t spi_define(spi_lowering *l, spi_side *side, const spi_definition *d);
/* An input of both programs, whole on every rank. */
void spi_add_input(spi_lowering *l, const char *name, sp_loc loc,
                   sp_dtype dtype, uint32_t n, const int64_t *dims);
/* An element of which nothing is known, another one for each rank and value of
 * the variables: what stands where a guard does not hold. */
const sp_lang *spi_padding(spi_lowering *l, sp_dtype type, uint32_t n,
                           const sp_lang_var *vars, sp_loc loc);
/* The program as far as it is there. */
sp_program spi_program_now(const spi_lowering *l, const spi_side *side);

/* ---- bounds.c ---- */
/* What proving is done with, made when first needed. */
struct spi_bounds {
  sp_pool *pool;
  sp_prover *prover;
  sp_expr rank;
};
spi_bounds *spi_bounds_of(spi_lowering *l);
/* Index variables of a side's last node. */
const sp_expr *spi_fresh_indices(spi_lowering *l, const spi_side *side);
/* Its element at idx; see sees every index, as in sp_meaning_survey. */
void spi_survey(spi_lowering *l, spi_side *side, const sp_expr *idx,
                sp_meaning_visit see, void *env);
/* Proves that the last node's reads are inside; the sort of its element. */
sp_sort spi_check_reads(spi_lowering *l, spi_side *side);

/* Where a condition holds: values were found, it was proved that there are
 * none, or neither. */
typedef enum spi_where {
  SPI_SOMEWHERE,
  SPI_NOWHERE,
  SPI_NOT_SHOWN,
} spi_where;
spi_where spi_where_holds(spi_lowering *l, const spi_side *side, uint32_t n,
                          const sp_lang_var *vars, const sp_lang *condition);

/* ---- relation.c ---- */
/* Along one dimension: cut among n ranks (a combination of axes), in blocks
 * dealt out in turn, or in one chunk each (block 0). size: what is left. */
typedef struct spi_level {
  uint32_t n_axes;
  const uint32_t *axes;
  int64_t n, block, size;
} spi_level;
typedef struct spi_map_dim {
  SP_VEC(spi_level) levels;
  int64_t local;
} spi_map_dim;
typedef struct spi_map {
  uint32_t n;
  spi_map_dim *dims;
  uint32_t n_partial;
  const uint32_t *partial; /* axes */
} spi_map;
/* Of a tensor of this shape. */
spi_map spi_map_of(spi_lowering *l, const spi_places *places,
                   const sp_shape *shape, const char *name);
/* Where local index j is along dimension d, as a formula and on a rank. */
const sp_lang *spi_map_index(spi_lowering *l, const spi_map *m, uint32_t d,
                             const sp_lang *j, sp_loc loc);
/* NULL where it takes too many runs. */
const sp_layout *spi_map_layout(spi_lowering *l, const spi_map *m,
                                const char *text);
/* Axes by name; none: the only one. */
const uint32_t *spi_axes_of(spi_lowering *l, uint32_t n,
                            const sp_lang_var *names, sp_loc loc,
                            uint32_t *count);
/* This rank's position among the ranks along the axes, row-major. */
const sp_lang *spi_kernel_position(spi_lowering *l, uint32_t n,
                                   const uint32_t *axes, sp_loc loc);
/* Coordinates of position `at` along the axes. */
const sp_lang_var *spi_coordinates(spi_lowering *l, uint32_t n,
                                   const uint32_t *axes, const sp_lang *at,
                                   sp_loc loc);
int64_t spi_axes_size(const spi_lowering *l, uint32_t n, const uint32_t *axes);
void spi_lower_relate(spi_lowering *l, spi_side *side, const spi_statement *s);

/* ---- collective.c ---- */
void spi_lower_collective(spi_lowering *l, spi_side *side,
                          const spi_statement *s);
/* name = op of source over the axes */
uint32_t spi_reduce_over(spi_lowering *l, const char *name, const char *op,
                         const char *source, uint32_t n, const uint32_t *axes,
                         sp_loc loc);
/* Variables $i0 ... for a tensor's dimensions, and as formulas. */
const sp_lang_var *spi_index_variables(spi_lowering *l, const sp_shape *s,
                                       sp_loc loc);
const sp_lang **spi_index_names(spi_lowering *l, uint32_t n, sp_loc loc);

/* ---- cover.c ---- */
/* The last node of the sequential program is what the promise wants of all
 * ranks: every element of the tensor that it reads is there. Raises
 * SP_ERR_INPUT where one is not, SP_ERR_UNKNOWN where it was not shown. */
void spi_check_cover(spi_lowering *l, const spi_promise *p);

/* ---- promise.c ---- */
void spi_lower_promise(spi_lowering *l, const spi_promise *p);

#endif
