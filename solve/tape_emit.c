/* tape_emit.c: one instruction for each placed term. Read spi_emit_entry. */
#include "solve/tape_i.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "solve/named.h"

/* ---- registers ---- */

static uint32_t flat_reg(spi_compiler *c) {
  if (c->flat == SPI_NO_REG) {
    c->flat = spi_new_reg(c, SPI_MAIN);
  }
  return c->flat;
}

/* Variables of the tape have their registers when first used, those of
 * reductions got theirs from emit_red. */
uint32_t spi_reg_of(spi_compiler *c, sp_expr e) {
  spi_entry *x = spi_tape_find(c, e);
  if (x->reg != SPI_NO_REG) {
    return x->reg;
  }
  for (uint32_t i = 0; x->kind == SP_KIND_VAR && i < c->spec->n_vars; i++) {
    if (c->spec->vars[i].v == e.v) {
      c->vars[i] =
          spi_new_reg(c, i < c->spec->n_uniform ? SPI_START : SPI_MAIN);
      x->reg = c->vars[i];
      return x->reg;
    }
  }
  sp_raise(c->ctx, SP_ERR_INTERNAL, sp_nowhere(), NULL,
           "a tape meets a variable without a value");
}

static uint32_t source_of(spi_compiler *c, sp_sym sym) {
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

static spi_instr *emit(spi_compiler *c, spi_entry *x, spi_instr o) {
  o.sort = sp_sort_of(c->p, x->e);
  if (!o.in && x->n) {
    uint32_t *in = sp_alloc_n(c->ctx, x->n, sizeof *in);
    for (uint32_t k = 0; k < x->n; k++) {
      in[k] = spi_reg_of(c, x->kids[k]);
    }
    o.in = in;
    o.n = x->n;
  }
  x->reg = spi_new_reg(c, x->scope);
  o.out = x->reg;
  spi_scope *s = &c->scopes.v[x->scope];
  sp_push(c->ctx, &s->code, o);
  return &s->code.v[s->code.n - 1];
}

static void emit_code(spi_compiler *c, spi_entry *x, spi_code code,
                      int64_t value) {
  emit(c, x, (spi_instr){.code = code, .value.i = value});
}

static void emit_int(spi_compiler *c, spi_entry *x, int64_t v) {
  emit(c, x, (spi_instr){.code = SPI_CONST, .value.i = v});
}

static void emit_real(spi_compiler *c, spi_entry *x, double v) {
  emit(c, x, (spi_instr){.code = SPI_CONST, .value.r = v});
}

/* The factor by which a sum holds the row-major position of the lanes (0:
 * none). */
static int64_t flat_factor(const spi_compiler *c, sp_expr lin) {
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

static bool is_lane_var(const spi_compiler *c, sp_expr e) {
  const spi_tape_spec *q = c->spec;
  for (uint32_t v = q->n_uniform; v < q->n_vars; v++) {
    if (q->vars[v].v == e.v && q->extents[v] != 1) {
      return true;
    }
  }
  return false;
}

static void emit_lin(spi_compiler *c, spi_entry *x) {
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
      in[n++] = spi_reg_of(c, x->kids[k]);
    }
  }
  emit(c, x,
       (spi_instr){.code = SPI_LIN,
                   .n = n,
                   .in = in,
                   .coefs = coefs,
                   .value.i = sp_lin_const(c->p, x->e)});
}

static void emit_add(spi_compiler *c, spi_entry *x) {
  spi_lane *coefs = sp_alloc_n(c->ctx, x->n + 1u, sizeof *coefs);
  for (uint32_t k = 0; k < x->n; k++) {
    coefs[k].r = sp_num_double(c->p, sp_add_coef(c->p, x->e, k));
  }
  emit(c, x,
       (spi_instr){.code = SPI_ADD,
                   .coefs = coefs,
                   .value.r = sp_num_double(c->p, sp_add_const(c->p, x->e))});
}

/* The row-major position of the lanes, and what is the same for all of them. */
static bool is_position(const spi_compiler *c, const spi_entry *address) {
  if (address->kind != SP_KIND_LIN || flat_factor(c, address->e) != 1) {
    return false;
  }
  for (uint32_t k = 0; k < address->n; k++) {
    const spi_entry *kid = spi_tape_find(c, address->kids[k]);
    if (!is_lane_var(c, kid->e) && kid->scope != SPI_START &&
        kid->kind != SP_KIND_VAR) {
      return false;
    }
    if (kid->kind == SP_KIND_VAR && !is_lane_var(c, kid->e) &&
        c->reg_scope.v[kid->reg] != SPI_START) {
      return false;
    }
  }
  return true;
}

static void emit_read(spi_compiler *c, spi_entry *x) {
  sp_sym sym = sp_read_sym(c->p, x->e);
  uint32_t n = sp_n_args(c->p, x->e), at = 1;
  spi_lane *coefs = sp_alloc_n(c->ctx, x->n, sizeof *coefs);
  for (uint32_t i = 0; i < n && at < x->n; i++) {
    if (sp_arg(c->p, x->e, i).v == x->kids[at].v) {
      coefs[at++].i = sp_sym_extents(c->p, sym)[i];
    }
  }
  emit(c, x,
       (spi_instr){.code = SPI_READ,
                   .coefs = coefs,
                   .source = source_of(c, sym),
                   .in_order = !spi_under_loop(c, x->scope) &&
                               is_position(c, spi_tape_find(c, x->kids[0])),
                   .guarded = !x->loud || spi_under_branch(c, x->scope)});
}

static void emit_if(spi_compiler *c, spi_entry *x) {
  spi_instr *o = emit(c, x, (spi_instr){.code = SPI_IF});
  o->block[0] = &c->blocks[x->inner[0]];
  o->block[1] = &c->blocks[x->inner[1]];
}

static void emit_identity(spi_compiler *c, spi_entry *x, sp_red_op op) {
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
void spi_bind_red(spi_compiler *c, spi_entry *x) {
  for (uint32_t i = 0; i < x->n_vars; i++) {
    spi_entry *v = spi_tape_find(c, x->vars[i]);
    if (v && v->kind == SP_KIND_VAR) {
      v->reg = spi_new_reg(c, x->inner[0]);
    }
  }
}

static void emit_red(spi_compiler *c, spi_entry *x) {
  sp_red_op op = sp_red_op_of(c->p, x->e);
  if (x->n == 0) {
    emit_identity(c, x, op);
    return;
  }
  uint32_t *vars = sp_alloc_n(c->ctx, x->n_vars, sizeof *vars);
  int64_t *extents = sp_alloc_n(c->ctx, x->n_vars, sizeof *extents), total = 1;
  for (uint32_t i = 0; i < x->n_vars; i++) {
    const spi_entry *v = spi_tape_find(c, x->vars[i]);
    bool var = v && v->kind == SP_KIND_VAR; /* of one value: 0 itself */
    vars[i] = var ? v->reg : spi_new_reg(c, x->inner[0]);
    extents[i] = sp_var_extent(c->p, sp_arg(c->p, x->e, i));
    if (!sp_mul_ok(total, extents[i], &total)) {
      sp_raise(c->ctx, SP_ERR_LIMIT, sp_nowhere(), NULL,
               "a reduction over more than 2^63 values");
    }
  }
  spi_instr *o = emit(c, x,
                      (spi_instr){.code = SPI_REDUCE,
                                  .op = op,
                                  .n_vars = x->n_vars,
                                  .vars = vars,
                                  .extents = extents,
                                  .total = total});
  o->block[0] = &c->blocks[x->inner[0]];
}

static noreturn void unknown_function(spi_compiler *c, const char *name) {
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

static void emit_named(spi_compiler *c, spi_entry *x, const char *name) {
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
    {"imul", 0, SPI_IMUL},      {"iand", 2, SPI_IAND}, {"ior", 2, SPI_IOR},
    {"ixor", 2, SPI_IXOR},      {"inot", 1, SPI_INOT}, {"not.u64", 1, SPI_INOT},
    {"wrap.u64", 1, SPI_ISAME},
};

static void emit_int_fn(spi_compiler *c, spi_entry *x, const char *name) {
  bool ints = x->n > 0;
  for (uint32_t k = 0; k < x->n; k++) {
    ints = ints && sp_sort_of(c->p, x->kids[k]) == SP_SORT_INT;
  }
  for (size_t i = 0; i < sizeof bit_functions / sizeof *bit_functions; i++) {
    if (ints && strcmp(bit_functions[i].name, name) == 0 &&
        (bit_functions[i].n == 0 || bit_functions[i].n == x->n)) {
      emit(c, x,
           (spi_instr){.code = SPI_INT_BITS, .bits = bit_functions[i].bits});
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

static void emit_fn(spi_compiler *c, spi_entry *x) {
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

void spi_emit_entry(spi_compiler *c, spi_entry *x) {
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
