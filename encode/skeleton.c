/* skeleton.c: hash of a term with indices erased. Read skeleton_of.
 */
#include "encode/pool.h"

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t h = (a ^ (b + UINT64_C(0x9e3779b97f4a7c15) + (a << 6) + (a >> 2))) *
               UINT64_C(0xff51afd7ed558ccd);
  return h ^ h >> 32;
}

static uint64_t text_hash(const char *s) {
  uint64_t h = UINT64_C(1469598103934665603);
  for (; *s; s++) {
    h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
  }
  return h;
}

/* Index arithmetic and conditions on indices: one symbol for each sort. */
static bool erased(const spi_node_t *d) {
  return d->sort != SP_SORT_REAL && !(d->flags & (SPI_HAS_READ | SPI_HAS_RED));
}

/* A condition: comparisons of reals count, those of integers do not. One
 * condition has many forms (clamps, negations), and padding conditions are on
 * one side only. */
static uint64_t condition(sp_pool *p, const spi_node_t *d) {
  uint64_t nothing = mix(99, SP_SORT_BOOL), sum = 0;
  if (d->kind == SP_KIND_LT0 || d->kind == SP_KIND_EQ0) {
    return nothing;
  }
  for (uint32_t i = 0; i < d->n; i++) {
    uint64_t h = sp_skeleton(p, d->args[i]);
    sum += h == nothing ? 0 : mix(1, h);
  }
  return sum == 0 ? nothing : mix(SP_KIND_OR, sum);
}

/* A choice between a neutral value (0, an infinity: padding) and something is
 * like that; so is a choice between alike (pieces of a halo). */
static uint64_t choice(sp_pool *p, const spi_node_t *d, uint64_t h) {
  for (uint32_t i = 1; i <= 2; i++) {
    sp_kind k = spi_kind(p, d->args[i]);
    if (sp_is_zero(p, d->args[i]) || k == SP_KIND_INF) {
      return sp_skeleton(p, d->args[3 - i]);
    }
  }
  uint64_t a = sp_skeleton(p, d->args[1]), b = sp_skeleton(p, d->args[2]);
  /* Either branch may come first: conditions can be negated. */
  uint64_t both = mix(1, a) + mix(1, b);
  return a == b ? a : mix(mix(h, sp_skeleton(p, d->args[0])), both);
}

/* Arguments in order. */
static uint64_t ordered(sp_pool *p, const spi_node_t *d, uint64_t h) {
  for (uint32_t i = 0; i < d->n; i++) {
    h = mix(h, sp_skeleton(p, d->args[i]));
  }
  return h;
}

/* Arguments in any order. */
static uint64_t unordered(sp_pool *p, const spi_node_t *d, uint64_t h) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < d->n; i++) {
    sum += mix(1, sp_skeleton(p, d->args[i]));
  }
  return mix(h, sum);
}

/* Index arithmetic over reads: what is read counts, not what is done to it. */
static uint64_t reads_of(sp_pool *p, const spi_node_t *d) {
  uint64_t sum = 0, last = 0;
  uint32_t n = 0;
  for (uint32_t i = 0; i < d->n; i++) {
    if (!erased(spi_get(p, d->args[i]))) {
      last = sp_skeleton(p, d->args[i]);
      sum += mix(1, last);
      n++;
    }
  }
  return n == 1 ? last : mix(SP_KIND_LIN, sum);
}

static uint64_t red_hash(sp_red_op op, uint64_t body) {
  return mix(mix(SP_KIND_RED, (uint64_t)op), body);
}

/* Skeleton of the body if e is a reduction by op, else of e. */
static uint64_t piece_hash(sp_pool *p, sp_expr e, sp_red_op op) {
  if (spi_kind(p, e) == SP_KIND_RED && sp_red_op_of(p, e) == op) {
    e = sp_red_body(p, e);
  }
  return sp_skeleton(p, e);
}

/* Are all arguments pieces of one reduction? Gives its skeleton. */
static bool pieces(sp_pool *p, const spi_node_t *d, sp_red_op op,
                   uint64_t *out) {
  uint64_t body = piece_hash(p, d->args[0], op);
  for (uint32_t i = 1; i < d->n; i++) {
    if (piece_hash(p, d->args[i], op) != body) {
      return false;
    }
  }
  *out = red_hash(op, body);
  return d->n > 1;
}

static uint64_t add_hash(sp_pool *p, const spi_node_t *d) {
  sp_num k = d->coefs.add[0];
  bool even = d->payload == SPI_NUM_ZERO.v;
  for (uint32_t i = 1; i < d->n; i++) {
    even = even && sp_num_eq(d->coefs.add[i], k);
  }
  uint64_t h = mix(SP_KIND_ADD, (uint64_t)d->payload), whole;
  if (even && pieces(p, d, SP_RED_SUM, &whole)) {
    return sp_num_eq(k, SPI_NUM_ONE) ? whole : mix(h, mix(k.v, whole));
  }
  /* Sums of one form follow each other: they may be pieces of one sum. */
  uint64_t sum = 0, last = 0;
  for (uint32_t i = 0; i < d->n; i++) {
    uint64_t it = mix(d->coefs.add[i].v, sp_skeleton(p, d->args[i]));
    sum += it == last && spi_kind(p, d->args[i]) == SP_KIND_RED ? 0 : it;
    last = it;
  }
  return mix(h, sum);
}

static uint64_t skeleton_of(sp_pool *p, sp_expr e, const spi_node_t *d) {
  uint64_t h = mix((uint64_t)d->kind + 1, (uint64_t)d->sort), whole;
  if (erased(d)) {
    return mix(99, (uint64_t)d->sort);
  }
  switch ((sp_kind)d->kind) {
  case SP_KIND_LIN:
  case SP_KIND_DIV:
  case SP_KIND_MOD:
    return reads_of(p, d);
  case SP_KIND_MAX:
  case SP_KIND_MIN:
    if (d->sort == SP_SORT_INT) {
      return reads_of(p, d);
    }
    return pieces(p, d, d->kind == SP_KIND_MAX ? SP_RED_MAX : SP_RED_MIN,
                  &whole)
               ? whole
               : unordered(p, d, h);
  case SP_KIND_READ:
    return ordered(p, d, mix(h, (uint64_t)d->payload));
  case SP_KIND_FN:
    return ordered(p, d, mix(h, text_hash(sp_fn_name(p, e))));
  case SP_KIND_RED:
    return red_hash(sp_red_op_of(p, e), sp_skeleton(p, sp_red_body(p, e)));
  case SP_KIND_ADD:
    return add_hash(p, d);
  case SP_KIND_MUL:
  case SP_KIND_REQ:
    return unordered(p, d, h);
  case SP_KIND_OR:
  case SP_KIND_NOT:
  case SP_KIND_LT0:
  case SP_KIND_EQ0:
    return condition(p, d);
  case SP_KIND_ITE:
    return d->sort == SP_SORT_REAL ? choice(p, d, h) : ordered(p, d, h);
  case SP_KIND_INT:
  case SP_KIND_VAR:
  case SP_KIND_NUM:
  case SP_KIND_INF:
  case SP_KIND_BOOL:
    return mix(h, (uint64_t)d->payload);
  case SP_KIND_I2R:
  case SP_KIND_RLT:
    break;
  }
  return ordered(p, d, h);
}

uint64_t sp_skeleton(sp_pool *p, sp_expr e) {
  spi_node_t *d = spi_get(p, e);
  if (d->skeleton == 0) {
    uint64_t h = skeleton_of(p, e, d);
    d->skeleton = h ? h : 1;
  }
  return d->skeleton;
}
