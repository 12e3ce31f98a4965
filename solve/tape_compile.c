/* tape_compile.c: from terms to registers. Read spi_tape_compile at the end.
 *
 * 1. visit: the terms below the results, arguments first. A reduction is opened
 *    (its variables become fresh ones), a read becomes one row-major address.
 * 2. place: each term gets the innermost SCOPE that all its users are in: a
 *    body of a reduction, a branch of a condition, the whole. From there it
 *    moves out of the reductions whose variables it does not have, and to the
 *    start of the tape where it has no lane variables at all.
 * 3. tape_emit.c: arguments first, each term one instruction in its scope's
 *    block.
 */
#include "solve/tape_i.h"

#include <string.h>

#include "base/arith.h"
#include "base/vec.h"

/* ---- terms to entries ---- */

static void map_grow(spi_compiler *c) {
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

spi_entry *spi_tape_find(const spi_compiler *c, sp_expr e) {
  uint32_t at = e.v * 2654435761u;
  for (; c->map[at & c->map_mask]; at++) {
    spi_entry *x = &c->entries.v[c->map[at & c->map_mask] - 1];
    if (x->e.v == e.v) {
      return x;
    }
  }
  return NULL;
}

static void add_entry(spi_compiler *c, spi_entry x) {
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
static void read_kids(spi_compiler *c, spi_entry *x) {
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

static bool is_empty(const spi_compiler *c, sp_expr red) {
  for (uint32_t i = 0; i < sp_red_n_vars(c->p, red); i++) {
    if (sp_var_extent(c->p, sp_arg(c->p, red, i)) <= 0) {
      return true;
    }
  }
  return false;
}

static void red_kids(spi_compiler *c, spi_entry *x) {
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

static spi_entry open_entry(spi_compiler *c, sp_expr e) {
  spi_entry x = {.e = e, .kind = sp_kind_of(c->p, e), .reg = SPI_NO_REG};
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
  spi_entry x;
  uint32_t next;
} open_term;

static void visit(spi_compiler *c, sp_expr root) {
  SP_VEC(open_term) stack = {0};
  if (spi_tape_find(c, root)) {
    return;
  }
  sp_push(c->ctx, &stack, ((open_term){open_entry(c, root), 0}));
  while (stack.n) {
    open_term *t = &stack.v[stack.n - 1];
    if (t->next < t->x.n) {
      sp_expr kid = t->x.kids[t->next++];
      if (!spi_tape_find(c, kid)) {
        sp_push(c->ctx, &stack, ((open_term){open_entry(c, kid), 0}));
      }
      continue;
    }
    spi_entry x = t->x;
    stack.n--;
    if (!spi_tape_find(c, x.e)) {
      add_entry(c, x);
    }
  }
}

/* ---- scopes ---- */

static uint32_t new_scope(spi_compiler *c, uint32_t parent, uint32_t red) {
  uint32_t depth = c->scopes.n ? c->scopes.v[parent].depth + 1 : 0;
  if (depth > SPI_MAX_NESTING) {
    sp_raise(c->ctx, SP_ERR_LIMIT, sp_nowhere(), NULL,
             "conditions and reductions nest more than %d deep",
             SPI_MAX_NESTING);
  }
  sp_push(c->ctx, &c->scopes,
          ((spi_scope){.parent = parent, .depth = depth, .red = red}));
  return (uint32_t)c->scopes.n - 1;
}

static uint32_t common_scope(const spi_compiler *c, uint32_t a, uint32_t b) {
  const spi_scope *s = c->scopes.v;
  while (a != b) {
    if (s[a].depth >= s[b].depth) {
      a = s[a].parent;
    } else {
      b = s[b].parent;
    }
  }
  return a;
}

static bool inside_scope(const spi_compiler *c, uint32_t a, uint32_t outer) {
  while (c->scopes.v[a].depth > c->scopes.v[outer].depth) {
    a = c->scopes.v[a].parent;
  }
  return a == outer;
}

static bool is_branch(const spi_compiler *c, uint32_t s) {
  return s > SPI_MAIN && c->scopes.v[s].red == 0;
}

bool spi_under_branch(const spi_compiler *c, uint32_t s) {
  while (s > SPI_MAIN && !is_branch(c, s)) {
    s = c->scopes.v[s].parent;
  }
  return s > SPI_MAIN;
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
static bool is_plain(const spi_compiler *c, sp_expr e) {
  return !sp_has_read(c->p, e) && !sp_has_red(c->p, e) &&
         sp_sort_of(c->p, e) != SP_SORT_REAL;
}

/* Out of loops that the term does not depend on. */
static uint32_t hoisted(const spi_compiler *c, const spi_entry *x, uint32_t s) {
  for (uint32_t to = s; to > SPI_MAIN;) {
    uint32_t red = c->scopes.v[to].red;
    if (red == 0) {
      if (!is_plain(c, x->e)) {
        break;
      }
      to = c->scopes.v[to].parent; /* only if a loop is left behind it */
      continue;
    }
    const spi_entry *r = &c->entries.v[red - 1];
    if (has_any(c->p, x->e, r->n_vars, r->vars)) {
      break;
    }
    to = c->scopes.v[to].parent;
    s = to;
  }
  const spi_tape_spec *q = c->spec;
  if (s == SPI_MAIN &&
      !has_any(c->p, x->e, q->n_vars - q->n_uniform, q->vars + q->n_uniform)) {
    return SPI_START;
  }
  return s;
}

static void use(spi_compiler *c, sp_expr e, uint32_t s, bool loud) {
  spi_entry *x = spi_tape_find(c, e);
  x->scope = x->placed ? common_scope(c, x->scope, s) : s;
  x->placed = true;
  x->loud = x->loud || loud;
}

static void place_kids(spi_compiler *c, uint32_t at) {
  spi_entry *x = &c->entries.v[at];
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

static void place(spi_compiler *c) {
  new_scope(c, 0, 0);
  new_scope(c, 0, 0);
  for (uint32_t i = 0; i < c->spec->n_outs; i++) {
    use(c, c->spec->outs[i], SPI_MAIN, true);
  }
  for (size_t i = c->entries.n; i-- > 0;) {
    spi_entry *x = &c->entries.v[i];
    /* A term that a fold of constants made superfluous has no user. */
    if (x->placed && x->kind != SP_KIND_VAR) {
      x->scope = hoisted(c, x, x->scope);
      place_kids(c, (uint32_t)i);
    }
  }
}

bool spi_under_loop(const spi_compiler *c, uint32_t s) {
  while (s > SPI_MAIN && c->scopes.v[s].red == 0) {
    s = c->scopes.v[s].parent;
  }
  return s > SPI_MAIN;
}

uint32_t spi_new_reg(spi_compiler *c, uint32_t s) {
  sp_push(c->ctx, &c->reg_scope, s);
  return (uint32_t)c->reg_scope.n - 1;
}

/* ---- what a body reads from outside ---- */

typedef struct imports {
  uint32_t scope;
  bool at_start; /* where registers of the start have one lane only */
  bool *seen;    /* by register */
  SP_VEC(uint32_t) regs;
} imports;

static void import_reg(spi_compiler *c, imports *m, uint32_t reg) {
  uint32_t home = c->reg_scope.v[reg];
  if ((home != SPI_START || m->at_start) && !m->seen[reg] &&
      !inside_scope(c, home, m->scope)) {
    m->seen[reg] = true;
    sp_push(c->ctx, &m->regs, reg);
  }
}

static void find_imports(spi_compiler *c, imports *m, const spi_block *b) {
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

static void add_imports(spi_compiler *c, spi_instr *o) {
  imports m = {.scope = (uint32_t)(o->block[0] - c->blocks)};
  uint32_t top = m.scope;
  while (top > SPI_MAIN) {
    top = c->scopes.v[top].parent;
  }
  m.at_start = top == SPI_START;
  m.seen = sp_alloc_n(c->ctx, c->reg_scope.n, sizeof *m.seen);
  find_imports(c, &m, o->block[0]);
  import_reg(c, &m, o->in[0]); /* the body itself, if it was moved out */
  uint32_t *spread = sp_alloc_n(c->ctx, m.regs.n + 1, sizeof *spread);
  for (size_t i = 0; i < m.regs.n; i++) {
    spread[i] = spi_new_reg(c, m.scope);
  }
  o->n_imports = (uint32_t)m.regs.n;
  o->imports = m.regs.v;
  o->spread = spread;
}

/* ---- the tape ---- */

/* Blocks refer to inner ones by address, so these are filled inner first: a
 * scope is made after the one that it is in. */
static double finish_block(spi_compiler *c, uint32_t s, double *costs) {
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
  c->blocks[s] =
      (spi_block){(uint32_t)c->scopes.v[s].code.n, c->scopes.v[s].code.v};
  return cost;
}

static spi_tape *finish(spi_compiler *c) {
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
    outs[i] = spi_reg_of(c, c->spec->outs[i]);
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
                  .start = c->blocks[SPI_START],
                  .main = c->blocks[SPI_MAIN],
                  .cost = 1.0 + costs[SPI_MAIN]};
  return t;
}

const spi_tape *spi_tape_compile(sp_pool *p, const spi_tape_spec *spec) {
  spi_compiler c = {
      .ctx = sp_pool_ctx(p), .p = p, .spec = spec, .flat = SPI_NO_REG};
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
      spi_bind_red(&c, &c.entries.v[i]);
    }
  }
  for (size_t i = 0; i < c.entries.n; i++) {
    if (c.entries.v[i].placed) {
      spi_emit_entry(&c, &c.entries.v[i]);
    }
  }
  return finish(&c);
}
