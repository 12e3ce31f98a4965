/* vain.c: the key of a term first: a hash from its leaves up to which tensors
 * of one shape are the same, and the order in sums and products does not
 * matter: they are sorted by what was made first, which differs from layer to
 * layer. Terms that differ in which tensor they read where are taken for like
 * ones, too: a key is a guess. */
#include "solve/vain.h"

enum { OFTEN = 2 };

typedef struct search {
  uint64_t key; /* 0: free */
  uint32_t failed;
  bool found;
} search;

struct spi_vain {
  sp_pool *p;
  sp_ctx *ctx;
  SP_VEC(uint64_t) keys; /* by term; 0: not known */
  search *slot;          /* open addressing */
  size_t n, cap;
  bool skipped;
};

spi_vain *spi_vain_new(sp_pool *p) {
  spi_vain *v = sp_alloc(sp_pool_ctx(p), sizeof *v);
  v->p = p;
  v->ctx = sp_pool_ctx(p);
  return v;
}

/* ---- keys ---- */

static uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ h >> 29;
}

static uint64_t symbol(const sp_pool *p, sp_sym s) {
  if (sp_sym_is_table(p, s)) {
    return s.v;
  }
  uint64_t h = (uint64_t)sp_sym_sort(p, s);
  for (uint32_t i = 0; i < sp_sym_n_args(p, s); i++) {
    h = mix(h, (uint64_t)sp_sym_extents(p, s)[i]);
  }
  return h;
}

/* Tensors of one shape share their index variables. */
static uint64_t variable(const sp_pool *p, sp_expr v) {
  return sp_var_class_of(p, v) == SP_VAR_FRESH ? (uint64_t)sp_var_extent(p, v)
                                               : UINT64_C(1) << 32 | v.v;
}

static uint64_t text(const char *s) {
  uint64_t h = 0;
  for (; *s; s++) {
    h = mix(h, (unsigned char)*s);
  }
  return h;
}

/* Of the node itself. */
static uint64_t head(sp_pool *p, sp_expr e) {
  switch (sp_kind_of(p, e)) {
  case SP_KIND_INT:
    return (uint64_t)sp_int_value(p, e);
  case SP_KIND_VAR:
    return variable(p, e);
  case SP_KIND_LIN:
    return (uint64_t)sp_lin_const(p, e);
  case SP_KIND_DIV:
  case SP_KIND_MOD:
    return (uint64_t)sp_divisor(p, e);
  case SP_KIND_READ:
    return symbol(p, sp_read_sym(p, e));
  case SP_KIND_FN:
    return text(sp_fn_name(p, e));
  case SP_KIND_RED:
    return (uint64_t)sp_red_op_of(p, e);
  case SP_KIND_NUM:
    return sp_num_value(p, e).v;
  case SP_KIND_INF:
    return sp_inf_negative(p, e);
  case SP_KIND_ADD:
    return sp_add_const(p, e).v;
  case SP_KIND_BOOL:
    return sp_bool_value(p, e);
  case SP_KIND_ITE:
  case SP_KIND_MAX:
  case SP_KIND_MIN:
  case SP_KIND_MUL:
  case SP_KIND_I2R:
  case SP_KIND_LT0:
  case SP_KIND_EQ0:
  case SP_KIND_RLT:
  case SP_KIND_REQ:
  case SP_KIND_NOT:
  case SP_KIND_OR:
    break;
  }
  return 0;
}

static uint64_t coefficient(sp_pool *p, sp_expr e, uint32_t i) {
  sp_kind kind = sp_kind_of(p, e);
  return kind == SP_KIND_LIN   ? (uint64_t)sp_lin_coef(p, e, i)
         : kind == SP_KIND_ADD ? sp_add_coef(p, e, i).v
                               : 0;
}

static bool commutes(sp_kind kind) {
  return kind == SP_KIND_LIN || kind == SP_KIND_ADD || kind == SP_KIND_MUL ||
         kind == SP_KIND_MAX || kind == SP_KIND_MIN || kind == SP_KIND_OR;
}

/* Terms nest to a limited depth. */
static uint64_t key_of(spi_vain *v, sp_expr e) {
  sp_pool *p = v->p;
  while (v->keys.n <= e.v) {
    sp_push(v->ctx, &v->keys, 0);
  }
  if (v->keys.v[e.v]) {
    return v->keys.v[e.v];
  }
  sp_kind kind = sp_kind_of(p, e);
  uint64_t args = 0;
  for (uint32_t i = 0; i < sp_n_args(p, e); i++) {
    uint64_t arg = mix(key_of(v, sp_arg(p, e, i)), coefficient(p, e, i));
    args = commutes(kind) ? args + mix(arg, 1) : mix(args, arg);
  }
  uint64_t h = mix(mix((uint64_t)kind, head(p, e)), args);
  v->keys.v[e.v] = h | 1;
  return h | 1;
}

uint64_t spi_vain_key(spi_vain *v, sp_expr e, sp_hyps hyps) {
  uint64_t h = key_of(v, e);
  for (uint32_t i = 0; i < hyps.n; i++) {
    h = mix(h, key_of(v, hyps.v[i]));
  }
  return h | 1;
}

/* ---- what was looked for ---- */

static search *search_place(search *slot, size_t cap, uint64_t key) {
  size_t at = (size_t)(key >> 8) & (cap - 1);
  while (slot[at].key && slot[at].key != key) {
    at = (at + 1) & (cap - 1);
  }
  return &slot[at];
}

static search *search_of(spi_vain *v, uint64_t key) {
  if (v->n * 2 >= v->cap) {
    size_t cap = v->cap ? v->cap * 2 : 64;
    search *slot = sp_alloc_n(v->ctx, cap, sizeof *slot);
    for (size_t i = 0; i < v->cap; i++) {
      if (v->slot[i].key) {
        *search_place(slot, cap, v->slot[i].key) = v->slot[i];
      }
    }
    v->slot = slot;
    v->cap = cap;
  }
  return search_place(v->slot, v->cap, key);
}

bool spi_vain_again(spi_vain *v, uint64_t key) {
  const search *x = search_of(v, key);
  bool again = x->key && !x->found && x->failed >= OFTEN;
  v->skipped = v->skipped || again;
  return again;
}

void spi_vain_note(spi_vain *v, uint64_t key, bool found) {
  search *x = search_of(v, key);
  v->n += x->key == 0;
  x->key = key;
  x->found = x->found || found;
  x->failed += !found;
}

bool spi_vain_skipped(const spi_vain *v) {
  return v->skipped;
}
