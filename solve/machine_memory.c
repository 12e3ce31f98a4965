/* machine_memory.c: values of tensors, in buffers that are used again. */
#include "solve/machine.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"

size_t spi_sort_bytes(sp_sort sort) {
  return sort == SP_SORT_BOOL ? sizeof(uint8_t) : sizeof(int64_t);
}

/* Sizes in steps of an eighth, so that buffers fit again. */
static size_t rounded_up(size_t bytes) {
  size_t step = 64;
  while (step * 16 < bytes) {
    step *= 2;
  }
  return (bytes + step - 1) / step * step;
}

static spi_buffer *take_spare(spi_engine *e, size_t bytes) {
  for (spi_buffer **b = &e->stores->spare; *b; b = &(*b)->next) {
    if ((*b)->bytes == bytes) {
      spi_buffer *found = *b;
      *b = found->next;
      return found;
    }
  }
  return NULL;
}

spi_buffer *spi_buffer_for(sp_machine *m, uint32_t node, const char *name,
                           sp_sort sort, int64_t n) {
  spi_engine *e = m->e;
  int64_t bytes;
  bool fits = sp_mul_ok(n, e->ranks, &bytes) &&
              sp_mul_ok(bytes, (int64_t)spi_sort_bytes(sort), &bytes);
  if (!fits || (uint64_t)bytes > e->options.budget_bytes ||
      e->stores->bytes > e->options.budget_bytes - (size_t)bytes) {
    spi_fail(m, SP_RUN_BUDGET, node, "allow more memory",
             "%s on %lld ranks does not fit the budget of %zu MiB", name,
             (long long)e->ranks, e->options.budget_bytes >> 20);
    return NULL;
  }
  size_t size = rounded_up((size_t)bytes + 1);
  spi_buffer *b = take_spare(e, size);
  if (!b) {
    b = sp_alloc(e->ctx, sizeof *b);
    b->data = sp_alloc(e->ctx, size);
    b->bytes = size;
  }
  b->users = 1;
  e->stores->bytes += b->bytes;
  return b;
}

spi_buffer *spi_buffer_new(sp_machine *m, uint32_t tensor) {
  const machine_tensor *t = &m->tensors[tensor];
  const sp_tensor *x = &m->program->tensors[tensor];
  return spi_buffer_for(m, x->node, x->name, t->sort, t->n);
}

void spi_buffer_drop(spi_engine *e, spi_buffer *b) {
  if (b && --b->users == 0) {
    e->stores->bytes -= b->bytes;
    b->next = e->stores->spare;
    e->stores->spare = b;
  }
}

spi_lane spi_load(const void *data, sp_sort sort, int64_t at) {
  spi_lane v = {0};
  if (sort == SP_SORT_REAL) {
    v.r = ((const double *)data)[at];
  } else if (sort == SP_SORT_INT) {
    v.i = ((const int64_t *)data)[at];
  } else {
    v.i = ((const uint8_t *)data)[at];
  }
  return v;
}

static void store_rounded(sp_dtype type, sp_sort sort, void *data, int64_t at,
                          uint32_t n, const spi_lane *v) {
  for (uint32_t l = 0; l < n; l++) {
    if (sort == SP_SORT_REAL) {
      ((double *)data)[at + l] = sp_round_to_dtype(v[l].r, type);
    } else {
      int bits = sp_dtype_bits(type);
      int64_t x = v[l].i;
      if (bits < 64) {
        uint64_t low = (uint64_t)x & (((uint64_t)1 << bits) - 1);
        bool negative =
            !sp_dtype_is_unsigned(type) && (low >> (bits - 1) & 1) != 0;
        x = (int64_t)low - (negative ? (int64_t)1 << bits : 0);
      }
      ((int64_t *)data)[at + l] = x;
    }
  }
}

void spi_store(const sp_machine *m, const spi_compiled *c, void *data,
               int64_t at, uint32_t n, const spi_lane *v) {
  sp_sort sort = c->sort;
  if (sort == SP_SORT_BOOL) {
    uint8_t *out = (uint8_t *)data + at;
    for (uint32_t l = 0; l < n; l++) {
      out[l] = v[l].i != 0;
    }
  } else if (m->e->options.round_to_dtype) {
    store_rounded(c->shape.dtype, sort, data, at, n, v);
  } else {
    memcpy((spi_lane *)data + at, v, n * sizeof *v);
  }
}

void spi_states_for(spi_engine *e, const spi_tape *t) {
  for (unsigned i = 0; i < e->stores->n_states; i++) {
    spi_tape_state **x = &e->stores->states[i];
    if (!*x || (*x)->cap < t->n_regs) {
      uint32_t cap = *x ? 2 * (*x)->cap : 64;
      *x = spi_tape_state_new(e->ctx, cap < t->n_regs ? t->n_regs : cap);
    }
    (*x)->noise = e->noise;
    (*x)->noise_seed = e->noise_seed;
  }
}

/* ---- rounding ---- */

/* Bits of the significand with the leading one, the exponents of the largest
 * and of the smallest normal numbers. */
static bool float_format(sp_dtype t, int *bits, int *max, int *min) {
  static const struct {
    sp_dtype t;
    int bits, max, min;
  } table[] = {
      {SP_F32, 24, 127, -126},       {SP_BF16, 8, 127, -126},
      {SP_F16, 11, 15, -14},         {SP_F8E5M2, 3, 15, -14},
      {SP_F8E4M3, 4, 7, -6},         {SP_F8E4M3FN, 4, 8, -6},
      {SP_F8E4M3B11FNUZ, 4, 4, -10}, {SP_F8E3M4, 5, 3, -2},
      {SP_F8E5M2FNUZ, 3, 15, -15},   {SP_F8E4M3FNUZ, 4, 7, -7},
      {SP_F4E2M1FN, 2, 2, 0},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (table[i].t == t) {
      *bits = table[i].bits;
      *max = table[i].max;
      *min = table[i].min;
      return true;
    }
  }
  return false;
}

double sp_round_to_dtype(double v, sp_dtype t) {
  int bits, max, min, e;
  if (t == SP_F32) {
    return (double)(float)v;
  }
  if (!float_format(t, &bits, &max, &min) || v == 0 || !isfinite(v)) {
    return v;
  }
  frexp(v, &e); /* |v| in [2^(e-1), 2^e) */
  int ulp = (e - 1 < min ? min : e - 1) - (bits - 1);
  double r = ldexp(nearbyint(ldexp(v, -ulp)), ulp);
  return fabs(r) >= ldexp(1.0, max + 1) ? copysign(INFINITY, v) : r;
}
