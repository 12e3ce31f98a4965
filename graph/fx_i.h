/* fx_i.h: what the parts of the FX reader share. In the order of the work:
 *   fx_source.c   the lines of a graph
 *   fx_lex.c      characters, words and strings of these
 *   fx_value.c    arguments;  fx_annot.c  shape annotations
 *   fx_stmt.c     statements, into an fx_graph;  fx_expr.c  their right sides
 *   fx_inline.c   graphs that a graph calls
 *   fx_ops.c      what operators do to memory
 *   fx_build.c    the program's nodes;  fx_args.c  their arguments
 *   fx_alias.c    views, writes;  fx_inverse.c  from a view to what it views
 *   fx_overlap.c  lists whose elements are written one after the other
 */
#ifndef SP_GRAPH_FX_I_H
#define SP_GRAPH_FX_I_H

#include "graph/fx.h"
#include "graph/fx_source.h"
#include "graph/hlo_names.h"

#define FX_NONE UINT32_MAX
/* Brackets in brackets; results of one operator; tensors; nodes made to follow
 * writes (each write and each read may need as many as a chain of views is
 * long). So a short text cannot ask for much memory. */
enum {
  FX_MAX_DEPTH = 32,
  FX_MAX_RESULTS = 4096,
  FX_MAX_TENSORS = 1 << 22,
  FX_MAX_MADE = 1 << 20,
};

/* --- fx_lex.c: a cursor over the lines of a graph --- */

typedef struct fx_lex {
  sp_ctx *ctx;
  const char *file;
  const fx_line *lines;
  size_t n_lines, at; /* the line that p is in */
  const char *p, *e;
  uint32_t depth; /* open brackets: inside them a line end is a blank */
} fx_lex;

typedef struct fx_slice {
  const char *s;
  size_t n;
} fx_slice;

noreturn void fx_fail(sp_ctx *ctx, sp_loc loc, const char *hint,
                      const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void fx_lex_init(fx_lex *l, sp_ctx *ctx, const char *file,
                 const fx_section *section);
/* To the start of line `at`; false when there is none. */
bool fx_lex_goto(fx_lex *l, size_t at);
sp_loc fx_lex_loc(const fx_lex *l); /* of p */
/* Over blanks (and line ends inside brackets). */
void fx_lex_space(fx_lex *l);
/* The next character, '\0' at the end of the line (or of all lines when
 * inside brackets); not consumed. */
char fx_lex_peek(fx_lex *l);
bool fx_lex_accept(fx_lex *l, char c);
void fx_lex_expect(fx_lex *l, char c, const char *where);
bool fx_lex_accept_text(fx_lex *l, const char *text);
/* [A-Za-z_][A-Za-z0-9_]*, empty when there is none. */
fx_slice fx_lex_word(fx_lex *l);
bool fx_slice_is(fx_slice s, const char *text);
/* '...' or "...", unescaped and interned. */
const char *fx_lex_string(fx_lex *l);
/* Over a value up to a ',', ';' or closing bracket at its own level, or the
 * end of the line. Returns the text. */
fx_slice fx_lex_skip(fx_lex *l);

/* --- fx_value.c: arguments --- */

typedef enum fx_kind {
  FX_VALUE_NONE,
  FX_VALUE_INT,
  FX_VALUE_FLOAT,
  FX_VALUE_TEXT, /* also whatever is not understood */
  FX_VALUE_NAME, /* of a value of the graph */
  FX_VALUE_LIST,
} fx_kind;

typedef struct fx_value {
  fx_kind kind;
  bool quoted; /* TEXT: was a string */
  uint32_t n;  /* LIST */
  int64_t i;
  double f;
  const char *text; /* NAME, TEXT; LIST: as written; INT: True, False, NULL */
  const struct fx_value *items;
  sp_loc loc;
} fx_value;

fx_value fx_value_read(fx_lex *l);
/* The same without falling back to text where an operator follows. */
fx_value fx_operand_read(fx_lex *l);

typedef struct fx_arg {
  const char *name; /* keyword, or NULL */
  fx_value value;
} fx_arg;

typedef SP_VEC(fx_arg) fx_args;

/* --- fx_annot.c: annotations --- */

typedef enum fx_annot_kind {
  FX_ANNOT_NO,     /* none, or one that says nothing */
  FX_ANNOT_SHAPE,  /* shape; dtype INVALID where a size is symbolic */
  FX_ANNOT_SYM,    /* "Sym(s0)": a number */
  FX_ANNOT_NUMBER, /* "Sym(4)": known, in i */
} fx_annot_kind;

typedef struct fx_annot {
  fx_annot_kind kind;
  sp_shape shape;
  int64_t i;
} fx_annot;

/* After a ':'; to before '=', ';', ',' or ')'. */
fx_annot fx_annot_read(fx_lex *l);

/* --- fx_stmt.c: a graph as it is written --- */

typedef enum fx_stmt_kind {
  FX_STMT_PLACEHOLDER,
  FX_STMT_CALL,
  FX_STMT_GET_ATTR, /* attr */
  FX_STMT_ALIAS,    /* args[0], a name */
} fx_stmt_kind;

typedef struct fx_stmt {
  fx_stmt_kind kind;
  bool in_place;    /* x += y, x[i] = y: args[0] is written */
  const char *name; /* NULL: of a bare x += y */
  const char *op;   /* CALL, as in the program */
  const char *attr; /* GET_ATTR */
  fx_annot annot;
  uint32_t n_args;
  const fx_arg *args;
  sp_pos pos;
  /* A result without annotation that getitems take apart: how many are known,
   * and what the getitems say (name NULL: nothing). */
  uint32_t n_results;
  struct fx_result *results;
} fx_stmt;

typedef struct fx_result {
  const char *name;
  fx_annot annot;
} fx_result;

typedef struct fx_graph {
  const char *file, *name;
  SP_VEC(fx_stmt) stmts; /* placeholders first */
  hlo_names names;       /* -> statement */
  uint32_t n_params;
  SP_VEC(fx_value) results; /* flat */
  sp_loc loc;
} fx_graph;

fx_graph *fx_graph_read(sp_ctx *ctx, const char *file,
                        const fx_section *section);
/* One that is called by another, `depth` deep; *spent is what all calls copied.
 */
fx_graph *fx_subgraph_read(sp_ctx *ctx, const char *file,
                           const fx_section *section, uint32_t depth,
                           size_t *spent);

/* --- fx_inline.c --- */

/* Calls of graphs that are classes in the section become what these do. */
void fx_inline(sp_ctx *ctx, fx_graph *g, const fx_section *section,
               uint32_t depth, size_t *spent);

/* A graph being read. */
typedef struct fx_reader {
  sp_ctx *ctx;
  fx_lex l;
  fx_graph *g;
  hlo_names annots; /* "primals_1: ...;" of joint graphs -> annot */
  SP_VEC(fx_annot) annot;
  sp_pos pos; /* source position of the comment before */
  bool done;
} fx_reader;

/* --- fx_expr.c --- */

/* To the end of the statement; sets kind, op, arguments. */
void fx_expr_read(fx_reader *r, fx_stmt *s);
/* The operator at the cursor ("add" for +), or NULL. */
const char *fx_infix_find(fx_reader *r);
/* x[...], at the '['. */
void fx_index_expr(fx_reader *r, fx_stmt *s, const fx_value *x);
void fx_args_set(fx_reader *r, fx_stmt *s, uint32_t n, const fx_value *v);
/* At the end of the line, a ';' or a comment? */
bool fx_stmt_ends(fx_reader *r);
fx_slice fx_name_read(fx_reader *r, const char *what);
const char *fx_word_intern(fx_reader *r, fx_slice w);
const char *fx_op_format(fx_reader *r, const char *prefix, const char *name);

/* --- fx_ops.c: what an operator does to the memory of its arguments --- */

typedef enum fx_alias {
  FX_FRESH,    /* the result has memory of its own */
  FX_SAME,     /* the result is the first argument */
  FX_VIEW,     /* the result is a view of the first argument */
  FX_MAY_VIEW, /* depends on strides, or we do not know */
} fx_alias;

/* How a write to a view reaches what is viewed. */
typedef enum fx_inverse {
  FX_INV_NONE, /* we do not know */
  FX_INV_RESHAPE,
  FX_INV_SELF, /* the same operator again */
  FX_INV_PERMUTE,
  FX_INV_SLICE,
  FX_INV_SELECT,
  FX_INV_DIAGONAL,
  FX_INV_SPLIT,
  FX_INV_UNBIND,
  FX_INV_NARROW,
  FX_INV_SETITEM,
} fx_inverse;

typedef enum fx_write {
  FX_WRITES_NOTHING,
  FX_WRITES_FIRST, /* the first argument, or each tensor in it */
  FX_WRITES_OUT,   /* the keyword argument "out" */
  FX_WRITES_LISTS, /* the first FX_OPTIMIZER_LISTS arguments */
  FX_WRITES_BN,    /* running mean and variance, args 3 and 4 or 1 and 2 */
  FX_WRITES_MAYBE, /* any argument: the text does not say */
  FX_WRITES_ODD,   /* in a way that we cannot follow */
} fx_write;

/* What a step of an optimizer changes: parameters, gradients, three kinds of
 * averages. */
enum { FX_OPTIMIZER_LISTS = 5 };

typedef struct fx_effect {
  bool lists; /* returns new tensors for the lists that it would write */
  fx_alias alias;
  fx_inverse inverse;
  fx_write write;
  const char *op; /* of the functional variant, where something is written */
  /* Arguments that the functional variant does not have: a keyword and a
   * position, or NULL and FX_NONE. */
  const char *drop_name;
  uint32_t drop_position;
} fx_effect;

fx_effect fx_effect_of(sp_ctx *ctx, const fx_stmt *s);

/* --- fx_build.c: the program --- */

typedef enum fx_var_kind {
  FX_VAR_TENSOR,
  FX_VAR_TUPLE, /* a result to be taken apart */
  FX_VAR_INT,   /* a number that is known */
  FX_VAR_TEXT,  /* a symbolic number, an object */
  FX_VAR_LIST,  /* tensors in lists: written ones, as given; an optimizer's */
} fx_var_kind;

/* A variable of the graph. Tensors form trees: a view's parent is what it
 * views. A tree's members share a storage. */
typedef struct fx_var {
  fx_var_kind kind;
  const char *name; /* TEXT: the text */
  int64_t i;
  const fx_value *list;
  const fx_stmt *stmt;
  sp_shape shape;
  uint32_t tensor; /* its value at `version` of its storage */
  uint32_t version;
  uint32_t storage;
  uint32_t parent; /* FX_NONE: it owns the storage */
  fx_alias link;   /* to the parent: SAME or VIEW */
  fx_inverse inverse;
  uint32_t node;   /* VIEW: the node that made it, ... */
  uint32_t result; /* ... and which of its results it was */
} fx_var;

/* Storages that may be one and the same, for all we know, are a family (a
 * union-find forest). Time counts writes. */
typedef struct fx_storage {
  uint32_t version;
  uint32_t seen;       /* when its contents were last known */
  const fx_stmt *lost; /* after it the contents are not known */
  uint32_t family;     /* a storage nearer to the root, or itself */
  uint32_t written;    /* root: the last write to any of the family */
  const fx_stmt *writer;
} fx_storage;

typedef struct fx_build {
  sp_ctx *ctx;
  const fx_graph *graph;
  SP_VEC(sp_node) nodes;
  SP_VEC(bool) made; /* by node: made by us, to follow aliases */
  SP_VEC(sp_tensor) tensors;
  SP_VEC(fx_var) vars;
  SP_VEC(fx_storage) storages;
  SP_VEC(uint32_t) params;
  hlo_names names;     /* -> variable */
  hlo_names constants; /* name in the module -> variable */
  uint32_t n_made, time;
  const fx_stmt *stmt; /* at work on */
} fx_build;

sp_program *fx_build_program(sp_ctx *ctx, const fx_graph *graph);

/* A node as described, with results of these shapes; names NULL: like the
 * node. Returns its first tensor. */
uint32_t fx_node(fx_build *b, const sp_node *node, bool made,
                 const sp_shape *shapes, const char *const *names);

/* --- fx_complex.c: complex tensors as pairs of reals, at the end --- */

void fx_complex_pairs(fx_build *b);

/* --- fx_args.c: arguments --- */

typedef struct fx_call {
  SP_VEC(uint32_t) in;
  SP_VEC(sp_attr) attrs;
} fx_call;

/* What a statement calls with, without what the effect drops. */
fx_call fx_call_args(fx_build *b, const fx_stmt *s, const fx_effect *e);
/* The variable that v, a NAME, names. */
uint32_t fx_var_find(fx_build *b, const fx_value *v);
/* It, where it holds tensors (perhaps several), else FX_NONE. */
uint32_t fx_tensor_named(fx_build *b, const fx_value *v);
/* The tensor in it now; an error where it holds none or several. */
uint32_t fx_var_tensor(fx_build *b, const fx_value *v, uint32_t var);
/* All that is in a list and in lists in it; of another value a list of one. */
fx_value fx_flat_list(fx_build *b, const fx_value *v);
const char *fx_arg_name(sp_ctx *ctx, uint32_t position);

/* --- fx_alias.c: views and writes --- */

/* A new variable with memory of its own. */
uint32_t fx_var_own(fx_build *b, const char *name, const sp_shape *shape,
                    uint32_t tensor);
/* A new variable that is result `result` of a view of parent. */
uint32_t fx_var_view(fx_build *b, const char *name, const sp_shape *shape,
                     uint32_t tensor, uint32_t parent, const fx_effect *effect,
                     uint32_t result);
/* They may share memory from now on. */
void fx_var_may_share(fx_build *b, uint32_t var, uint32_t other);
/* The tensor that holds the variable's value now. */
uint32_t fx_var_read(fx_build *b, uint32_t var);
/* The variable gets a new value, and so does all that shares its storage. */
void fx_var_write(fx_build *b, uint32_t var, uint32_t tensor);
/* Nobody knows what the variable holds from now on. */
void fx_var_lose(fx_build *b, uint32_t var);
/* The same number for variables that may share memory. */
uint32_t fx_var_family(fx_build *b, uint32_t var);

/* --- fx_overlap.c --- */

/* Raises an error where elements of lists, of which the first n_written
 * arguments are written one after the other, may share memory. */
void fx_check_overlap(fx_build *b, const fx_stmt *s, uint32_t n_written);

/* --- fx_inverse.c --- */

/* The value of the parent of view `var` once the view has the value
 * `tensor`. */
uint32_t fx_view_undo(fx_build *b, uint32_t var, uint32_t tensor);

#endif
