/* state.h: what is known during one check. Internal to solve/.
 *
 * CONTRACT. Two sides. A sequential tensor may be an ANCHOR: a name that
 * relations speak of; its definition is over other anchors, and tensors that
 * are not anchors are inlined into their users. A distributed tensor has a
 * RELATION (a proved term over anchors, the rank and its own indices) or is
 * inlined into its users. Definitions come in two forms: `def`, simplified, to
 * find things with, and `raw`, as the operator table gives it, which
 * obligations are about. Definitions are computed when asked for and dropped
 * when an anchor appears under them.
 */
#ifndef SP_SOLVE_STATE_H
#define SP_SOLVE_STATE_H

#include "encode/op.h"
#include "solve/check.h"
#include "solve/problem.h"
#include "solve/prove.h"
#include "solve/vain.h"

struct spi_layers;

/* A number of heavy (reducing) operators that no path exceeds. */
#define SPI_HEAVY_MAX 64u

/* (i div stride) mod n of an index i. */
typedef struct spi_digit {
  int64_t stride, n;
} spi_digit;

typedef struct seq_tensor {
  sp_sym sym;
  const sp_expr *idx; /* canonical index variables, one a dimension */
  sp_expr def, raw;   /* 0: not computed, or stale */
  sp_expr expanded;   /* def with elementwise anchors expanded; 0: stale */
  sp_expr unfolded;   /* def with reducing anchors expanded, too, multiplied
                         out; itself where that is too large; 0: stale */
  sp_expr quotient;   /* the same and denominators in sums, not multiplied
                         out; made for some; 0: stale */
  sp_expr scaled;     /* def without its scale; 0: stale */
  sp_num scale;       /* def = scale * scaled */
  bool anchor;
  bool opaque;  /* operator unknown: a symbol without definition */
  bool reduces; /* its operator makes a reduction */
  bool queued;
  bool asleep;    /* anchor: its users are not queued yet */
  uint32_t heavy; /* reductions between it and anchors, when def is set */
  uint32_t alias; /* anchor of equal value + 1, or 0 */
  uint64_t idle;  /* anchor: dimensions along which all elements are
                     equal, proved; it is read at 0 there */
  const spi_digit
      *repeated;       /* anchor: by dimension, a digit on which no
                          element depends, read as 0; n 0: none; or NULL */
  const char *trouble; /* opaque: why */
  const int64_t *home; /* ranked: the rank whose value every rank reads, since
                          they are copies; NULL: its own */
} seq_tensor;

typedef struct dist_tensor {
  sp_sym sym; /* for contents that are not related (padding) */
  const sp_expr *idx;
  sp_expr relation; /* 0: none */
  sp_expr def, raw;
  bool opaque;     /* operator unknown, or nothing is said of it */
  uint32_t heavy;  /* operators between it and related tensors, from the
                      first that reduces on */
  uint32_t above;  /* those of them that reduce */
  uint32_t seq;    /* matched sequential tensor + 1, or 0 */
  uint32_t like;   /* the tensor whose proof it has + 1, or 0 (layers.h) */
  const char *how; /* rule, or why there is no relation */
  const char *nearest;
} dist_tensor;

typedef struct seq_entry {
  uint64_t key;
  uint32_t tensor, next; /* next entry + 1 with the key's slot */
  sp_expr def;           /* valid while the tensor's term is still this */
} seq_entry;

/* Tensors by skeleton of a term of theirs. */
typedef struct seq_index {
  SP_VEC(seq_entry) entries;
  uint32_t *slots;
  uint32_t n_slots;
} seq_index;

/* A coordinate of the rank with n values. */
typedef struct spi_cut {
  int64_t n;
  sp_expr coordinate;
} spi_cut;

/* What a rank that stands beside the others (sp_tensor.on) holds of a dimension
 * of this size: so many from one on. */
typedef struct spi_offset {
  uint32_t on;
  int64_t size, block, at;
} spi_offset;

typedef struct spi_index_var {
  uint32_t d;
  int64_t extent;
  sp_expr var;
} spi_index_var;

/* How much of the anchors in two terms is replaced by definitions before the
 * terms are compared (expand.c), or compared up to a number (scaled.h). */
typedef enum spi_form {
  SPI_FORM_PLAIN,
  SPI_FORM_EXPANDED,
  SPI_FORM_UNFOLDED,
  SPI_FORM_SCALED,
  SPI_FORM_QUOTIENT
} spi_form;

/* Trying to relate a distributed tensor. */
typedef struct spi_attempt {
  uint32_t dist;
  sp_expr term; /* what to relate: over the rank and the index variables */
  sp_expr raw;  /* its raw form */
  sp_hyps hyps;
  spi_form form;
  bool unfolds; /* unfolded it is another term */
  sp_num scale; /* SCALED: of the term, then what the tensor found is taken
                   times; none: once */
  bool seq_found;
  uint32_t seq;
  sp_expr phi[SP_MAX_DIMS];
} spi_attempt;

/* The sum over the group of this rank of what distributed tensor `dist` holds
 * at its index variables is scale * (the sequential tensor seq at phi). */
typedef struct spi_partial {
  uint32_t seq, dist;
  const sp_groups *groups; /* all of one size, every rank in one */
  int64_t scale;
  const sp_expr *phi;
} spi_partial;

/* A state of its own for a region (loop body), and whose it is. */
typedef struct spi_kept {
  struct sp_state *state;
  const char *name;
} spi_kept;

typedef struct sp_state {
  struct sp_state *parent; /* of the program around a loop body, or NULL */
  sp_ctx *ctx;
  sp_pool *pool;
  sp_solver *solver;
  sp_prover *prover;
  const sp_check_options *options;
  const sp_problem *problem;
  const sp_program *seq_program, *dist_program; /* the problem's */
  seq_tensor *seq;
  dist_tensor *dist;
  sp_expr rank; /* the variable */
  /* users of sequential tensor t: users[user_start[t] .. user_start[t+1]) */
  uint32_t *user_start, *users;
  SP_VEC(uint32_t) heap; /* sequential tensors to (re)define, smallest first */
  SP_VEC(uint32_t) deferred; /* ready but with too many reductions */
  seq_index by_form[5];      /* spi_form */
  uint32_t heavy_limit;
  uint32_t last;             /* latest anchor matched, in program order */
  uint32_t last_at;          /* by this distributed tensor */
  size_t unfolding;          /* terms spent in vain; of the outermost state */
  spi_vain *vain;            /* searches; NULL: none is skipped */
  struct spi_layers *layers; /* NULL: each tensor is looked at by itself */
  bool *in_part; /* a tensor was related in part; NULL: none may be */
  SP_VEC(const char *) assumptions;
  SP_VEC(spi_index_var) index_vars;
  SP_VEC(spi_cut) cuts;       /* by which inputs are cut */
  SP_VEC(spi_offset) offsets; /* the same, for ranks that differ */
  SP_VEC(spi_kept) kept;      /* bodies of loops, for the report */
  SP_VEC(spi_partial) sums;   /* of addends that loops return: proved */
  const uint32_t *twins; /* two versions of one program: by distributed tensor,
                            the sequential one computed alike; or NULL */
  bool ran;              /* both programs, on a few inputs: nothing differed */
  size_t many_terms;     /* in the pool: then it is asked whether the proof is
                            in trouble */
  const struct spi_difference *difference; /* that a sample showed, or NULL */
  const char *ended;  /* why the proof did, before all was tried; or "" */
  bool in_vain;       /* they differ in another form: to be checked there */
  bool *loop_used;    /* by sequential node: has its counterpart */
  bool *loop_open;    /* it has none: its results have definitions */
  sp_expr **loop_end; /* then, once asked for: closed forms of its results */
  sp_report_stats stats;
} sp_state;

/* ---- copies.c ---- */
/* Manual problems: which ranks have the same value of a sequential tensor. */
void spi_copies(sp_state *s);

/* ---- sequential.c ---- */
void spi_seq_start(sp_state *s);
/* The tensor is given: a name without a definition. */
void spi_seq_give(sp_state *s, uint32_t t);
/* The tensor is this term of its index variables. */
void spi_seq_fix(sp_state *s, uint32_t t, sp_expr e);
bool spi_seq_defined(sp_state *s, uint32_t t);
/* Bits mixed by a function of which little is known (xor, shifts by what a
 * tensor says): an integer that is matched like a real, since inlined it would
 * grow with every round of a random number generator. */
bool spi_mixes_bits(const sp_state *s, sp_expr e);
bool spi_has_loop(const sp_program *p); /* may be NULL */
/* Once the ranges of symbols are known: which operators have a meaning, which
 * reduce; queues what needs no operands. */
void spi_seq_classify(sp_state *s);
/* The tensor that a symbol names, or SP_NO_TENSOR. */
uint32_t spi_seq_tensor(const sp_state *s, sp_sym sym);
sp_expr spi_seq_read(sp_state *s, uint32_t t, const sp_expr *idx, bool raw);
/* The tensor's symbol at idx; on this rank where the problem is ranked. */
sp_expr spi_seq_symbol(sp_state *s, uint32_t t, const sp_expr *idx);
/* Raw definition over anchors, at the tensor's own index variables. */
sp_expr spi_seq_raw(sp_state *s, uint32_t t);
void spi_seq_make_anchor(sp_state *s, uint32_t t);
/* An anchor like another one, of which the same is known; its users are defined
 * when something that reads it is looked at (wake). */
void spi_seq_follow(sp_state *s, uint32_t t, uint32_t like);
void spi_seq_wake(sp_state *s, sp_expr e);
/* Define the tensor, if that takes few definitions and at most `heavy`
 * reductions inlined. Whether it is defined now. */
bool spi_seq_demand(sp_state *s, uint32_t t, uint32_t heavy);
/* The tensor of which t is a view (proved), t itself if it is none; phi, an
 * index of t, becomes its index. */
uint32_t spi_root(sp_state *s, uint32_t t, sp_expr *phi);
/* Define what became definable, with at most `heavy` reductions inlined. */
void spi_seq_refresh(sp_state *s, uint32_t heavy);

/* ---- expand.c ---- */
/* A term with elementwise anchors expanded, by their raw or simplified
 * definitions. */
sp_expr spi_expand(sp_state *s, sp_expr e, bool raw);
/* A term with anchors expanded that no reduction in it runs over, reducing
 * ones, too. 0: it would be too large. */
sp_expr spi_unfold(sp_state *s, sp_expr e, bool raw);
/* The same; also anchors that a reduction runs over, where what they reduce
 * does not follow it: denominators. */
sp_expr spi_unfold_quotients(sp_state *s, sp_expr e, bool raw);
/* Two raw terms are equal once unfolded, as the form says: proved. */
bool spi_equal_unfolded(sp_state *s, sp_expr a, sp_expr b, sp_hyps hyps);
bool spi_equal_quotients(sp_state *s, sp_expr a, sp_expr b, sp_hyps hyps);
/* e with each read of a defined tensor replaced by its raw definition. */
sp_expr spi_open(sp_state *s, sp_expr e);

/* ---- substate.c ---- */
/* A state for the regions of a loop, sharing pool, prover, rank, variables. The
 * parameters are names without definition; dist may be NULL. */
sp_state *spi_substate(sp_state *s, const sp_program *seq,
                       const sp_program *dist);
/* What a bench needs to know; it has a pool of its own. */
sp_state *spi_runnable(sp_ctx *own, const sp_problem *problem,
                       const sp_check_options *options);
/* Its variables and counts come back to s; it is listed in the report. */
void spi_keep_substate(sp_state *s, sp_state *x, const char *name);
/* e with reads of a scalar symbol replaced. */
sp_expr spi_replace_symbol(sp_pool *p, sp_expr e, sp_sym sym, sp_expr value);

/* ---- loop_alone.c ---- */
/* The definition of a sequential loop's result; 0: it has no closed form. */
sp_expr spi_loop_element(sp_state *s, uint32_t t, bool raw);
/* Sequential node k, a loop, has closed forms of all that is used of it. */
bool spi_loop_closes(sp_state *s, uint32_t k);

/* ---- loop_partial.c ---- */
/* e with sums over groups replaced that s->sums knows: proved equal. */
sp_expr spi_by_known_sums(sp_state *s, sp_expr e);

/* ---- distributed.c ---- */
void spi_dist_start(sp_state *s);
sp_expr spi_dist_def(sp_state *s, uint32_t t);
sp_expr spi_dist_raw(sp_state *s, uint32_t t);
sp_expr spi_dist_read(sp_state *s, uint32_t t, sp_expr rank, const sp_expr *idx,
                      bool raw);

/* ---- placement.c ---- */
/* Index in the global tensor of local element j on the rank: out[d]; guard is
 * true where it is not padding. */
void spi_layout_map(sp_state *s, const sp_layout *layout,
                    const sp_shape *global, const sp_expr *j, sp_expr *out,
                    sp_expr *guard);
/* Whether a sharding could be the layout of such a local tensor: no error. */
bool spi_sharding_fits(const sp_sharding *sharding, const sp_shape *global,
                       const sp_shape *local, int64_t ranks);
/* The relation's value where it is not padding; 0 when there is none. */
sp_expr spi_without_padding(const sp_state *s, uint32_t dist_tensor);
/* Is the relation a block of one sequential tensor? cuts[d] says how dimension
 * d is cut; coordinate 0: not at all. */
bool spi_placement_of(sp_state *s, uint32_t dist_tensor, sp_sym *of,
                      spi_cut *cuts);
/* Tensor t holds dimension d of one of this size from phi on, perhaps. */
void spi_learn_offset(sp_state *s, uint32_t t, uint32_t d, sp_expr phi,
                      int64_t size);
/* Remember the coordinates that tensor t is cut by: placements to try. */
void spi_learn_cuts(sp_state *s, uint32_t t);
/* A relation for people: placements where they fit, else an index formula. */
const char *spi_relation_text(sp_state *s, uint32_t dist_tensor);

/* ---- candidates.c ---- */
/* The definition of a sequential tensor in a form; 0: there is none. */
sp_expr spi_seq_form(const sp_state *s, uint32_t t, spi_form form);
void spi_index_add(sp_state *s, spi_form form, sp_expr term, uint32_t tensor);
/* Calls visit for each tensor whose term of a form has the key, nearest to
 * s->last first, until it returns true. */
bool spi_index_visit(sp_state *s, spi_form form, uint64_t key,
                     bool (*visit)(sp_state *s, uint32_t tensor, void *env),
                     void *env);

/* Candidates from shapes alone: each dimension whole or cut by a coordinate
 * that inputs are cut by. For terms of different structure (halos, windows). */
bool spi_try_placements(sp_state *s, spi_attempt *a);
/* A quotient whose denominators have quotients in them, by value. */
bool spi_find_quotient(sp_state *s, spi_attempt *a);

/* ---- twins.c ---- */
/* By distributed tensor: the sequential one that is the same operator on the
 * same tensors, SP_NO_TENSOR: none. Once parameters are related. */
const uint32_t *spi_twins(sp_state *s);

/* ---- same_operator.c ---- */
/* The sequential tensor that is the same operator on operands proved equal, or
 * SP_NO_TENSOR. */
uint32_t spi_same_operator(sp_state *s, uint32_t dist_tensor);

/* ---- attempt.c ---- */
/* The sequential tensor at a->phi equals a's term: proved. */
bool spi_prove_step(sp_state *s, spi_attempt *a, uint32_t seq);

/* ---- propagate.c ---- */
void spi_propagate(sp_state *s);
/* The programs differ: little is proved from now on. */
void spi_hasten(sp_state *s);
/* Why tensors are not looked at any more (sp_prover_late between two). */
const char *spi_why_late(const sp_state *s);

/* ---- outputs.c ---- */
void spi_outputs(sp_state *s, sp_report *report);
/* The first tensor without a relation on the way to a result without one. */
uint32_t spi_first_unrelated(sp_state *s);
/* The distributed tensor w holds the sequential one v at phi, where guard:
 * proved. */
bool spi_promise_holds(sp_state *s, uint32_t v, uint32_t w, const sp_expr *phi,
                       sp_expr guard);

/* Index variables of class INDEX shared by tensors: variable d of an extent. */
const sp_expr *spi_index_vars(sp_state *s, const sp_shape *shape);
void spi_assumption(void *state, const char *sentence);
/* Unsigned integers are not negative. */
void spi_natural_ranges(sp_state *s);

#endif
