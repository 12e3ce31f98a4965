/* tape_compile.c: from terms to registers. Read spi_tape_compile at the end.
 *
 * 1. visit: the terms below the results, arguments first. A reduction is opened
 *    (its variables become fresh ones), a read becomes one row-major address.
 * 2. place: each term gets the innermost SCOPE that all its users are in: a
 *    body of a reduction, a branch of a condition, the whole. From there it
 *    moves out of the reductions whose variables it does not have, and to the
 *    start of the tape where it has no lane variables at all.
 * 3. emit: arguments first, each term one instruction in its scope's block.
 */
#include "solve/tape.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/vec.h"
#include "solve/named.h"

enum {
  START = 0, /* scopes */
  MAIN = 1,
  MAX_NESTING = 400,
};
#define NO_REG UINT32_MAX

typedef struct entry {
  sp_expr e;
  sp_kind kind;
  uint32_t n; /* kids */
  const sp_expr *kids;
  uint32_t scope, reg;
  uint32_t inner[2]; /* scopes of branches, of a body */
  bool placed, loud;
  /* RED: opened */
  uint32_t n_vars;
  const sp_expr *vars;
} entry;

typedef struct scope {
  uint32_t parent, depth;
  uint32_t red; /* the reduction whose body this is + 1; 0: a branch */
  SP_VEC(spi_instr) code;
} scope;

typedef struct compiler {
  sp_ctx *ctx;
  sp_pool *p;
  const spi_tape_spec *spec;
  SP_VEC(entry) entries; /* arguments first */
  uint32_t *map, map_mask; /* term -> entry + 1 */
  SP_VEC(scope) scopes;
  SP_VEC(uint32_t) reg_scope;
  SP_VEC(spi_source) sources;
  spi_block *blocks;
  uint32_t *vars;
  uint32_t flat;
} compiler;

/* ---- terms to entries ---- */

static void map_grow(compiler *c) {
  uint32_t cap = c->map ? 2 * (c->map_mask + 1) : 64;
  c->map = sp_alloc_n(c->ctx, cap, sizeof *c->map);
  c->map_mask = cap - 1;
  for (uint32_t i = 0; i < c->entries.n; i++) {
    uint32_t at = c->entries.v[i].e.v * 2654435761u;
    while (c->map[at & c->map_mask]) {
      at++;
    }
    c->map[at & c->map_mask] = i + 1;
  }
}

static entry *find(const compiler *c, sp_expr e) {
  uint32_t at = e.v * 2654435761u;
  for (; c->map[at & c->map_mask]; at++) {
    entry *x = &c->entries.v[c->map[at & c->map_mask] - 1];
    if (x->e.v == e.v) {
      return x;
    }
  }
  return NULL;
}

static void add_entry(compiler *c, entry x) {
  if (c->entries.n * 2 >= c->map_mask) {
    map_grow(c);
  }
  uint32_t at = x.e.v * 2654435761u;
  while (c->map[at & c->map_mask]) {
    at++;
  }
  sp_push(c->ctx, &c->entries, x);
  c->map[at & c->map_mask] = (uint32_t)c->entries.n;
}

/* The address, then coordinates that may lie outside. */
static void read_kids(compiler *c, entry *x) {
  sp_pool *p = c->p;
  uint32_t n = sp_n_args(p, x->e);
  const int64_t *extents = sp_sym_extents(p, sp_read_sym(p, x->e));
  sp_expr *idx = sp_alloc_n(c->ctx, n + 1u, sizeof *idx);
  sp_expr *kids = sp_alloc_n(c->ctx, n + 1u, sizeof *kids);
  x->kids = kids;
  x->n = 1;
  for (uint32_t i = 0; i < n; i++) {
    int64_t lo, hi;
    idx[i] = sp_arg(p, x->e, i);
    sp_range(p, idx[i], &lo, &hi);
    if (lo < 0 || hi >= extents[i]) {
      kids[x->n++] = idx[i];
    }
  }
  kids[0] = n ? sp_flatten(p, n, extents, idx) : sp_int(p, 0);
}

static bool is_empty(const compiler *c, sp_expr red) {
  for (uint32_t i = 0; i < sp_red_n_vars(c->p, red); i++) {
    if (sp_var_extent(c->p, sp_arg(c->p, red, i)) <= 0) {
      return true;
    }
  }
  return false;
}

static void red_kids(compiler *c, entry *x) {
  if (is_empty(c, x->e)) {
    return;
  }
  x->n_vars = sp_red_n_vars(c->p, x->e);
  sp_expr *vars = sp_alloc_n(c->ctx, x->n_vars + 1u, sizeof *vars);
  sp_expr *kid = sp_alloc(c->ctx, sizeof *kid);
  *kid = sp_red_open(c->p, x->e, vars);
  x->vars = vars;
  x->kids = kid;
  x->n = 1;
}

static entry open_entry(compiler *c, sp_expr e) {
  entry x = {.e = e, .kind = sp_kind_of(c->p, e), .reg = NO_REG};
  if (x.kind == SP_KIND_READ) {
    read_kids(c, &x);
  } else if (x.kind == SP_KIND_RED) {
    if (sp_red_op_of(c->p, e) == SP_RED_LAMBDA) {
      sp_raise(c->ctx, SP_ERR_UNKNOWN, sp_nowhere(), NULL,
               "a function of whole slices inside another term");
    }
    red_kids(c, &x);
  } else {
    sp_expr *kids = sp_alloc_n(c->ctx, sp_n_args(c->p, e) + 1u, sizeof *kids);
    x.n = sp_n_args(c->p, e);
    for (uint32_t i = 0; i < x.n; i++) {
      kids[i] = sp_arg(c->p, e, i);
    }
    x.kids = kids;
  }
  return x;
}

typedef struct open_term {
  entry x;
  uint32_t next;
} open_term;

static void visit(compiler *c, sp_expr root) {
  SP_VEC(open_term) stack = {0};
  if (find(c, root)) {
    return;
  }
  sp_push(c->ctx, &stack, ((open_term){open_entry(c, root), 0}));
  while (stack.n) {
    open_term *t = &stack.v[stack.n - 1];
    if (t->next < t->x.n) {
      sp_expr kid = t->x.kids[t->next++];
      if (!find(c, kid)) {
        sp_push(c->ctx, &stack, ((open_term){open_entry(c, kid), 0}));
      }
      continue;
    }
    entry x = t->x;
    stack.n--;
    if (!find(c, x.e)) {
      add_entry(c, x);
    }
  }
}

/* ---- scopes ---- */

static uint32_t new_scope(compiler *c, uint32_t parent, uint32_t red) {
  uint32_t depth = c->scopes.n ? c->scopes.v[parent].depth + 1 : 0;
  if (depth > MAX_NESTING) {
    sp_raise(c->ctx, SP_ERR_LIMIT, sp_nowhere(), NULL,
             "conditions and reductions nest more than %d deep", MAX_NESTING);
  }
  sp_push(c->ctx, &c->scopes, ((scope){.parent = parent, .depth = depth,
                                       .red = red}));
  return (uint32_t)c->scopes.n - 1;
}

static uint32_t common_scope(const compiler *c, uint32_t a, uint32_t b) {
  const scope *s = c->scopes.v;
  while (a != b) {
    if (s[a].depth >= s[b].depth) {
      a = s[a].parent;
    } else {
      b = s[b].parent;
    }
  }
  return a;
}

static bool inside_scope(const compiler *c, uint32_t a, uint32_t outer) {
  while (c->scopes.v[a].depth > c->scopes.v[outer].depth) {
    a = c->scopes.v[a].parent;
  }
  return a == outer;
}

static bool is_branch(const compiler *c, uint32_t s) {
  return s > MAIN && c->scopes.v[s].red == 0;
}

static bool under_branch(const compiler *c, uint32_t s) {
  while (s > MAIN && !is_branch(c, s)) {
    s = c->scopes.v[s].parent;
  }
  return s > MAIN;
}

static bool has_any(sp_pool *p, sp_expr e, uint32_t n, const sp_expr *vars) {
  for (uint32_t i = 0; i < n; i++) {
    if (sp_kind_of(p, vars[i]) == SP_KIND_VAR && sp_has_free(p, e, vars[i])) {
      return true;
    }
  }
  return false;
}

/* Arithmetic that is worth computing where it may not be needed. */
static bool is_plain(const compiler *c, sp_expr e) {
  return !sp_has_read(c->p, e) && !sp_has_red(c->p, e) &&
         sp_sort_of(c->p, e) != SP_SORT_REAL;
}

/* Out of loops that the term does not depend on. */
static uint32_t hoisted(const compiler *c, const entry *x, uint32_t s) {
  for (uint32_t to = s; to > MAIN;) {
    uint32_t red = c->scopes.v[to].red;
    if (red == 0) {
      if (!is_plain(c, x->e)) {
        break;
      }
      to = c->scopes.v[to].parent; /* only if a loop is left behind it */
      continue;
    }
    const entry *r = &c->entries.v[red - 1];
    if (has_any(c->p, x->e, r->n_vars, r->vars)) {
      break;
    }
    to = c->scopes.v[to].parent;
    s = to;
  }
  const spi_tape_spec *q = c->spec;
  if (s == MAIN && !has_any(c->p, x->e, q->n_vars - q->n_uniform,
                            q->vars + q->n_uniform)) {
    return START;
  }
  return s;
}

static void use(compiler *c, sp_expr e, uint32_t s, bool loud) {
  entry *x = find(c, e);
  x->scope = x->placed ? common_scope(c, x->scope, s) : s;
  x->placed = true;
  x->loud = x->loud || loud;
}

static void place_kids(compiler *c, uint32_t at) {
  entry *x = &c->entries.v[at];
  for (uint32_t k = 0; k < x->n; k++) {
    uint32_t s = x->scope;
    bool loud = x->loud && x->kind != SP_KIND_OR;
    if ((x->kind == SP_KIND_ITE && k > 0) || x->kind == SP_KIND_RED) {
      bool red = x->kind == SP_KIND_RED;
      s = new_scope(c, x->scope, red ? at + 1 : 0);
      x->inner[red ? 0 : k - 1] = s;
    }
    use(c, x->kids[k], s, loud);
  }
}

static void place(compiler *c) {
  new_scope(c, 0, 0);
  new_scope(c, 0, 0);
  for (uint32_t i = 0; i < c->spec->n_outs; i++) {
    use(c, c->spec->outs[i], MAIN, true);
  }
  for (size_t i = c->entries.n; i-- > 0;) {
    entry *x = &c->entries.v[i];
    /* A term that a fold of constants made superfluous has no user. */
    if (x->placed && x->kind != SP_KIND_VAR) {
      x->scope = hoisted(c, x, x->scope);
      place_kids(c, (uint32_t)i);
    }
  }
}

/* ---- registers ---- */

static uint32_t new_reg(compiler *c, uint32_t s) {
  sp_push(c->ctx, &c->reg_scope, s);
  return (uint32_t)c->reg_scope.n - 1;
}

static uint32_t flat_reg(compiler *c) {
  if (c->flat == NO_REG) {
    c->flat = new_reg(c, MAIN);
  }
  return c->flat;
}

/* Variables of the tape have their registers when first used, those of
 * reductions got theirs from emit_red. */
static uint32_t reg_of(compiler *c, sp_expr e) {
  entry *x = find(c, e);
  if (x->reg != NO_REG) {
    return x->reg;
  }
  for (uint32_t i = 0; x->kind == SP_KIND_VAR && i < c->spec->n_vars; i++) {
    if (c->spec->vars[i].v == e.v) {
      c->vars[i] = new_reg(c, i < c->spec->n_uniform ? START : MAIN);
      x->reg = c->vars[i];
      return x->reg;
    }
  }
  sp_raise(c->ctx, SP_ERR_INTERNAL, sp_nowhere(), NULL,
           "a tape meets a variable without a value");
}

static uint32_t source_of(compiler *c, sp_sym sym) {
  for (uint32_t i = 0; i < c->sources.n; i++) {
    if (c->sources.v[i].sym.v == sym.v) {
      return i;
    }
  }
  spi_source s = {.sym = sym, .sort = sp_sym_sort(c->p, sym), .n = 1};
  const int64_t *extents = sp_sym_extents(c->p, sym);
  for (uint32_t i = 0; i < sp_sym_n_args(c->p, sym); i++) {
    s.n *= extents[i];
  }
  if (sp_sym_is_table(c->p, sym)) {
    int64_t *i = sp_alloc_n(c->ctx, (size_t)s.n, sizeof(int64_t));
    double *r = (double *)(void *)i;
    uint8_t *b = (uint8_t *)i;
    for (int64_t k = 0; k < s.n; k++) {
      sp_value v = sp_sym_table_value(c->p, sym, k);
      if (s.sort == SP_SORT_REAL) {
        r[k] = v.r;
      } else if (s.sort == SP_SORT_INT) {
        i[k] = v.i;
      } else {
        b[k] = v.b;
      }
    }
    s.data = i;
  }
  sp_push(c->ctx, &c->sources, s);
  return (uint32_t)c->sources.n - 1;
}

/* ---- instructions ---- */

static spi_instr *emit(compiler *c, entry *x, spi_instr o) {
  o.sort = sp_sort_of(c->p, x->e);
  if (!o.in && x->n) {
    uint32_t *in = sp_alloc_n(c->ctx, x->n, sizeof *in);
    for (uint32_t k = 0; k < x->n; k++) {
      in[k] = reg_of(c, x->kids[k]);
    }
    o.in = in;
    o.n = x->n;
  }
  x->reg = new_reg(c, x->scope);
  o.out = x->reg;
  scope *s = &c->scopes.v[x->scope];
  sp_push(c->ctx, &s->code, o);
  return &s->code.v[s->code.n - 1];
}

static void emit_code(compiler *c, entry *x, spi_code code, int64_t value) {
  emit(c, x, (spi_instr){.code = code, .value.i = value});
}

static void emit_int(compiler *c, entry *x, int64_t v) {
  emit(c, x, (spi_instr){.code = SPI_CONST, .value.i = v});
}

static void emit_real(compiler *c, entry *x, double v) {
  emit(c, x, (spi_instr){.code = SPI_CONST, .value.r = v});
}

/* The factor by which a sum holds the row-major position of the lanes (0:
 * none). */
static int64_t flat_factor(const compiler *c, sp_expr lin) {
  const spi_tape_spec *q = c->spec;
  int64_t factor = 0, stride = 1;
  uint32_t found = 0;
  for (uint32_t v = q->n_vars; v-- > q->n_uniform;) {
    if (q->extents[v] != 1 && sp_kind_of(c->p, q->vars[v]) == SP_KIND_VAR) {
      int64_t coef = 0;
      for (uint32_t k = 0; k < sp_n_args(c->p, lin); k++) {
        if (sp_arg(c->p, lin, k).v == q->vars[v].v) {
          coef = sp_lin_coef(c->p, lin, k);
        }
      }
      if (coef == 0 || coef % stride || (factor && coef / stride != factor)) {
        return 0;
      }
      factor = coef / stride;
      found++;
    }
    if (!sp_mul_ok(stride, q->extents[v], &stride) || stride <= 0) {
      return 0;
    }
  }
  return found ? factor : 0;
}

static bool is_lane_var(const compiler *c, sp_expr e) {
  const spi_tape_spec *q = c->spec;
  for (uint32_t v = q->n_uniform; v < q->n_vars; v++) {
    if (q->vars[v].v == e.v && q->extents[v] != 1) {
      return true;
    }
  }
  return false;
}

static void emit_lin(compiler *c, entry *x) {
  uint32_t *in = sp_alloc_n(c->ctx, x->n + 1u, sizeof *in), n = 0;
  spi_lane *coefs = sp_alloc_n(c->ctx, x->n + 1u, sizeof *coefs);
  int64_t factor = flat_factor(c, x->e);
  if (factor) {
    coefs[n].i = factor;
    in[n++] = flat_reg(c);
  }
  for (uint32_t k = 0; k < x->n; k++) {
    if (!factor || !is_lane_var(c, x->kids[k])) {
      coefs[n].i = sp_lin_coef(c->p, x->e, k);
      in[n++] = reg_of(c, x->kids[k]);
    }
  }
  emit(c, x, (spi_instr){.code = SPI_LIN,
                         .n = n,
                         .in = in,
                         .coefs = coefs,
                         .value.i = sp_lin_const(c->p, x->e)});
}

static void emit_add(compiler *c, entry *x) {
  spi_lane *coefs = sp_alloc_n(c->ctx, x->n + 1u, sizeof *coefs);
  for (uint32_t k = 0; k < x->n; k++) {
    coefs[k].r = sp_num_double(c->p, sp_add_coef(c->p, x->e, k));
  }
  emit(c, x, (spi_instr){.code = SPI_ADD,
                         .coefs = coefs,
                         .value.r = sp_num_double(c->p,
                                                  sp_add_const(c->p, x->e))});
}

static bool under_loop(const compiler *c, uint32_t s) {
  while (s > MAIN && c->scopes.v[s].red == 0) {
    s = c->scopes.v[s].parent;
  }
  return s > MAIN;
}

/* The row-major position of the lanes, and what is the same for all of them. */
static bool is_position(const compiler *c, const entry *address) {
  if (address->kind != SP_KIND_LIN || flat_factor(c, address->e) != 1) {
    return false;
  }
  for (uint32_t k = 0; k < address->n; k++) {
    const entry *kid = find(c, address->kids[k]);
    if (!is_lane_var(c, kid->e) && kid->scope != START &&
        kid->kind != SP_KIND_VAR) {
      return false;
    }
    if (kid->kind == SP_KIND_VAR && !is_lane_var(c, kid->e) &&
        c->reg_scope.v[kid->reg] != START) {
      return false;
    }
  }
  return true;
}

static void emit_read(compiler *c, entry *x) {
  sp_sym sym = sp_read_sym(c->p, x->e);
  uint32_t n = sp_n_args(c->p, x->e), at = 1;
  spi_lane *coefs = sp_alloc_n(c->ctx, x->n, sizeof *coefs);
  for (uint32_t i = 0; i < n && at < x->n; i++) {
    if (sp_arg(c->p, x->e, i).v == x->kids[at].v) {
      coefs[at++].i = sp_sym_extents(c->p, sym)[i];
    }
  }
  emit(c, x, (spi_instr){.code = SPI_READ,
                         .coefs = coefs,
                         .source = source_of(c, sym),
                         .in_order = !under_loop(c, x->scope) &&
                                     is_position(c, find(c, x->kids[0])),
                         .guarded = !x->loud || under_branch(c, x->scope)});
}

static void emit_if(compiler *c, entry *x) {
  spi_instr *o = emit(c, x, (spi_instr){.code = SPI_IF});
  o->block[0] = &c->blocks[x->inner[0]];
  o->block[1] = &c->blocks[x->inner[1]];
}

static void emit_identity(compiler *c, entry *x, sp_red_op op) {
  bool real = sp_sort_of(c->p, x->e) == SP_SORT_REAL;
  bool max = op == SP_RED_MAX;
  if (op == SP_RED_MAX || op == SP_RED_MIN) {
    if (real) {
      emit_real(c, x, max ? -INFINITY : INFINITY);
    } else {
      emit_int(c, x, max ? INT64_MIN : INT64_MAX);
    }
  } else if (real) {
    emit_real(c, x, op == SP_RED_PROD ? 1.0 : 0.0);
  } else {
    emit_int(c, x, op == SP_RED_PROD || op == SP_RED_AND);
  }
}

/* Before anything in the body is emitted: its variables. */
static void bind_red(compiler *c, entry *x) {
  for (uint32_t i = 0; i < x->n_vars; i++) {
    entry *v = find(c, x->vars[i]);
    if (v && v->kind == SP_KIND_VAR) {
      v->reg = new_reg(c, x->inner[0]);
    }
  }
}

static void emit_red(compiler *c, entry *x) {
  sp_red_op op = sp_red_op_of(c->p, x->e);
  if (x->n == 0) {
    emit_identity(c, x, op);
    return;
  }
  uint32_t *vars = sp_alloc_n(c->ctx, x->n_vars, sizeof *vars);
  int64_t *extents = sp_alloc_n(c->ctx, x->n_vars, sizeof *extents), total = 1;
  for (uint32_t i = 0; i < x->n_vars; i++) {
    const entry *v = find(c, x->vars[i]);
    bool var = v && v->kind == SP_KIND_VAR; /* of one value: 0 itself */
    vars[i] = var ? v->reg : new_reg(c, x->inner[0]);
    extents[i] = sp_var_extent(c->p, sp_arg(c->p, x->e, i));
    if (!sp_mul_ok(total, extents[i], &total)) {
      sp_raise(c->ctx, SP_ERR_LIMIT, sp_nowhere(), NULL,
               "a reduction over more than 2^63 values");
    }
  }
  spi_instr *o = emit(c, x, (spi_instr){.code = SPI_REDUCE,
                                        .op = op,
                                        .n_vars = x->n_vars,
                                        .vars = vars,
                                        .extents = extents,
                                        .total = total});
  o->block[0] = &c->blocks[x->inner[0]];
}

static noreturn void unknown_function(compiler *c, const char *name) {
  sp_raise(c->ctx, SP_ERR_UNKNOWN, sp_nowhere(), NULL,
           "no values are known of the function %s", name);
}

/* Known at all? Tried at 1, 1, ... */
static bool has_values(const char *name, uint32_t n, const sp_sort *sorts,
                       sp_sort sort) {
  sp_value v[SPI_NAMED_ARGS], out;
  for (uint32_t k = 0; k < n; k++) {
    v[k] = (sp_value){.sort = sorts[k], .i = 1, .r = 1, .b = true};
  }
  return spi_named_value(name, n, v, sort, &out);
}

static void emit_named(compiler *c, entry *x, const char *name) {
  sp_sort *sorts = sp_alloc_n(c->ctx, x->n + 1u, sizeof *sorts);
  for (uint32_t k = 0; k < x->n; k++) {
    sorts[k] = sp_sort_of(c->p, x->kids[k]);
  }
  if (x->n > SPI_NAMED_ARGS ||
      !has_values(name, x->n, sorts, sp_sort_of(c->p, x->e))) {
    unknown_function(c, name);
  }
  emit(c, x, (spi_instr){.code = SPI_NAMED, .name = name, .sorts = sorts});
}

static const struct {
  const char *name;
  uint32_t n; /* arguments; 0: any number */
  spi_bits bits;
} bit_functions[] = {
    {"imul", 0, SPI_IMUL},     {"iand", 2, SPI_IAND}, {"ior", 2, SPI_IOR},
    {"ixor", 2, SPI_IXOR},     {"inot", 1, SPI_INOT}, {"not.u64", 1, SPI_INOT},
    {"wrap.u64", 1, SPI_ISAME},
};

static void emit_int_fn(compiler *c, entry *x, const char *name) {
  bool ints = x->n > 0;
  for (uint32_t k = 0; k < x->n; k++) {
    ints = ints && sp_sort_of(c->p, x->kids[k]) == SP_SORT_INT;
  }
  for (size_t i = 0; i < sizeof bit_functions / sizeof *bit_functions; i++) {
    if (ints && strcmp(bit_functions[i].name, name) == 0 &&
        (bit_functions[i].n == 0 || bit_functions[i].n == x->n)) {
      emit(c, x, (spi_instr){.code = SPI_INT_BITS,
                             .bits = bit_functions[i].bits});
      return;
    }
  }
  if (x->n == 0 && strcmp(name, "iinf") == 0) {
    emit_int(c, x, INT64_MAX);
  } else if (x->n == 0 && strcmp(name, "-iinf") == 0) {
    emit_int(c, x, INT64_MIN);
  } else {
    emit_named(c, x, name);
  }
}

static void emit_fn(compiler *c, entry *x) {
  const char *name = sp_fn_name(c->p, x->e);
  sp_sort sort = sp_sort_of(c->p, x->e);
  if (sort == SP_SORT_INT) {
    emit_int_fn(c, x, name);
    return;
  }
  bool reals = sort == SP_SORT_REAL;
  for (uint32_t k = 0; k < x->n; k++) {
    reals = reals && sp_sort_of(c->p, x->kids[k]) == SP_SORT_REAL;
  }
  spi_instr o = {.code = SPI_REAL1};
  if (reals && x->n == 0 && strcmp(name, "nan") == 0) {
    emit_real(c, x, NAN);
  } else if (reals && sp_real_function(name, &o.one, &o.two) &&
             ((o.one && x->n == 1) || (o.two && x->n == 2))) {
    o.code = o.one ? SPI_REAL1 : SPI_REAL2;
    emit(c, x, o);
  } else {
    emit_named(c, x, name);
  }
}

static void emit_entry(compiler *c, entry *x) {
  sp_pool *p = c->p;
  bool real = sp_sort_of(p, x->e) == SP_SORT_REAL;
  switch (x->kind) {
  case SP_KIND_VAR:
    break;
  case SP_KIND_INT:
    emit_int(c, x, sp_int_value(p, x->e));
    break;
  case SP_KIND_BOOL:
    emit_int(c, x, sp_bool_value(p, x->e));
    break;
  case SP_KIND_NUM:
    emit_real(c, x, sp_num_double(p, sp_num_value(p, x->e)));
    break;
  case SP_KIND_INF:
    emit_real(c, x, sp_inf_negative(p, x->e) ? -INFINITY : INFINITY);
    break;
  case SP_KIND_LIN:
    emit_lin(c, x);
    break;
  case SP_KIND_DIV:
    emit_code(c, x, SPI_DIV, sp_divisor(p, x->e));
    break;
  case SP_KIND_MOD:
    emit_code(c, x, SPI_MOD, sp_divisor(p, x->e));
    break;
  case SP_KIND_READ:
    emit_read(c, x);
    break;
  case SP_KIND_ITE:
    emit_if(c, x);
    break;
  case SP_KIND_MAX:
    emit_code(c, x, real ? SPI_MAX_R : SPI_MAX_I, 0);
    break;
  case SP_KIND_MIN:
    emit_code(c, x, real ? SPI_MIN_R : SPI_MIN_I, 0);
    break;
  case SP_KIND_FN:
    emit_fn(c, x);
    break;
  case SP_KIND_RED:
    emit_red(c, x);
    break;
  case SP_KIND_ADD:
    emit_add(c, x);
    break;
  case SP_KIND_MUL:
    emit_code(c, x, SPI_MUL, 0);
    break;
  case SP_KIND_I2R:
    emit_code(c, x, SPI_I2R, 0);
    break;
  case SP_KIND_LT0:
    emit_code(c, x, SPI_LT0, 0);
    break;
  case SP_KIND_EQ0:
    emit_code(c, x, SPI_EQ0, 0);
    break;
  case SP_KIND_RLT:
    emit_code(c, x, SPI_RLT, 0);
    break;
  case SP_KIND_REQ:
    emit_code(c, x, SPI_REQ, 0);
    break;
  case SP_KIND_NOT:
    emit_code(c, x, SPI_NOT, 0);
    break;
  case SP_KIND_OR:
    emit_code(c, x, SPI_OR, 0);
    break;
  }
}

/* ---- what a body reads from outside ---- */

typedef struct imports {
  uint32_t scope;
  bool at_start; /* where registers of the start have one lane only */
  bool *seen; /* by register */
  SP_VEC(uint32_t) regs;
} imports;

static void import_reg(compiler *c, imports *m, uint32_t reg) {
  uint32_t home = c->reg_scope.v[reg];
  if ((home != START || m->at_start) && !m->seen[reg] &&
      !inside_scope(c, home, m->scope)) {
    m->seen[reg] = true;
    sp_push(c->ctx, &m->regs, reg);
  }
}

static void find_imports(compiler *c, imports *m, const spi_block *b) {
  uint32_t s = (uint32_t)(b - c->blocks);
  for (uint32_t i = 0; i < c->scopes.v[s].code.n; i++) {
    const spi_instr *o = &c->scopes.v[s].code.v[i];
    for (uint32_t k = 0; k < o->n; k++) {
      import_reg(c, m, o->in[k]);
    }
    for (int k = 0; k < 2; k++) {
      if (o->block[k]) {
        find_imports(c, m, o->block[k]);
      }
    }
  }
}

static void add_imports(compiler *c, spi_instr *o) {
  imports m = {.scope = (uint32_t)(o->block[0] - c->blocks)};
  uint32_t top = m.scope;
  while (top > MAIN) {
    top = c->scopes.v[top].parent;
  }
  m.at_start = top == START;
  m.seen = sp_alloc_n(c->ctx, c->reg_scope.n, sizeof *m.seen);
  find_imports(c, &m, o->block[0]);
  import_reg(c, &m, o->in[0]); /* the body itself, if it was moved out */
  uint32_t *spread = sp_alloc_n(c->ctx, m.regs.n + 1, sizeof *spread);
  for (size_t i = 0; i < m.regs.n; i++) {
    spread[i] = new_reg(c, m.scope);
  }
  o->n_imports = (uint32_t)m.regs.n;
  o->imports = m.regs.v;
  o->spread = spread;
}

/* ---- the tape ---- */

/* Blocks refer to inner ones by address, so these are filled inner first: a
 * scope is made after the one that it is in. */
static double finish_block(compiler *c, uint32_t s, double *costs) {
  double cost = 0;
  for (uint32_t i = 0; i < c->scopes.v[s].code.n; i++) {
    spi_instr *o = &c->scopes.v[s].code.v[i];
    double own = 1.0 + 0.5 * o->n;
    if (o->code == SPI_REDUCE) {
      own += (double)o->total * (costs[o->block[0] - c->blocks] + 1.0);
    } else if (o->code == SPI_IF) {
      own += costs[o->block[0] - c->blocks] + costs[o->block[1] - c->blocks];
    } else if (o->code == SPI_REAL1 || o->code == SPI_REAL2 ||
               o->code == SPI_NAMED) {
      own += 10.0;
    }
    cost += own;
  }
  c->blocks[s] = (spi_block){(uint32_t)c->scopes.v[s].code.n,
                             c->scopes.v[s].code.v};
  return cost;
}

static spi_tape *finish(compiler *c) {
  spi_tape *t = sp_alloc(c->ctx, sizeof *t);
  double *costs = sp_alloc_n(c->ctx, c->scopes.n, sizeof *costs);
  for (size_t s = c->scopes.n; s-- > 0;) {
    for (size_t i = 0; i < c->scopes.v[s].code.n; i++) {
      spi_instr *o = &c->scopes.v[s].code.v[i];
      if (o->code == SPI_REDUCE) {
        add_imports(c, o);
      }
    }
    costs[s] = finish_block(c, (uint32_t)s, costs);
  }
  uint32_t *outs = sp_alloc_n(c->ctx, c->spec->n_outs + 1u, sizeof *outs);
  sp_sort *sorts = sp_alloc_n(c->ctx, c->spec->n_outs + 1u, sizeof *sorts);
  for (uint32_t i = 0; i < c->spec->n_outs; i++) {
    outs[i] = reg_of(c, c->spec->outs[i]);
    sorts[i] = sp_sort_of(c->p, c->spec->outs[i]);
  }
  *t = (spi_tape){.n_regs = (uint32_t)c->reg_scope.n,
                  .n_sources = (uint32_t)c->sources.n,
                  .n_outs = c->spec->n_outs,
                  .n_vars = c->spec->n_vars,
                  .sources = c->sources.v,
                  .outs = outs,
                  .sorts = sorts,
                  .vars = c->vars,
                  .flat = c->flat,
                  .start = c->blocks[START],
                  .main = c->blocks[MAIN],
                  .cost = 1.0 + costs[MAIN]};
  return t;
}

const spi_tape *spi_tape_compile(sp_pool *p, const spi_tape_spec *spec) {
  compiler c = {.ctx = sp_pool_ctx(p), .p = p, .spec = spec, .flat = NO_REG};
  map_grow(&c);
  c.vars = sp_alloc_n(c.ctx, spec->n_vars + 1u, sizeof *c.vars);
  memset(c.vars, 0xff, spec->n_vars * sizeof *c.vars);
  for (uint32_t i = 0; i < spec->n_outs; i++) {
    visit(&c, spec->outs[i]);
  }
  place(&c);
  c.blocks = sp_alloc_n(c.ctx, c.scopes.n, sizeof *c.blocks);
  for (size_t i = c.entries.n; i-- > 0;) {
    if (c.entries.v[i].placed && c.entries.v[i].n_vars) {
      bind_red(&c, &c.entries.v[i]);
    }
  }
  for (size_t i = 0; i < c.entries.n; i++) {
    if (c.entries.v[i].placed) {
      emit_entry(&c, &c.entries.v[i]);
    }
  }
  return finish(&c);
}
