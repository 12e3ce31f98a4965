/* formula.c: read add_term first: every constructor ends there. A term is
 * three words (operation and number of arguments, a 64-bit payload) and then
 * its arguments; the text of a real number sits where the arguments would.
 */
#include "encode/formula.h"

#include <assert.h>
#include <string.h>
#include <xxhash.h>

enum { HEAD = 3 };

sp_formula *sp_formula_new(sp_ctx *ctx) {
  sp_formula *f = sp_alloc(ctx, sizeof *f);
  f->ctx = ctx;
  f->stamp = 1;
  return f;
}

void sp_formula_clear(sp_formula *f) {
  f->words.n = 0;
  f->start.n = 0;
  f->decls.n = 0;
  f->sorts.n = 0;
  f->asserts.n = 0;
  f->stamp++;
  if (f->stamp == 0) {
    memset(f->slot_stamp, 0, f->n_slots * sizeof *f->slot_stamp);
    f->stamp = 1;
  }
}

static uint32_t term_words(const sp_formula *f, uint32_t t) {
  return HEAD + (f->words.v[f->start.v[t]] >> 8);
}

static uint32_t slot_of(const sp_formula *f, const uint32_t *w, uint32_t n) {
  return (uint32_t)XXH3_64bits(w, n * sizeof *w) & (f->n_slots - 1);
}

static void slots_grow(sp_formula *f) {
  f->n_slots = f->n_slots == 0 ? 256 : f->n_slots * 2;
  f->slot = sp_alloc_n(f->ctx, f->n_slots, sizeof *f->slot);
  f->slot_stamp = sp_alloc_n(f->ctx, f->n_slots, sizeof *f->slot_stamp);
  for (uint32_t t = 0; t < f->start.n; t++) {
    uint32_t s = slot_of(f, f->words.v + f->start.v[t], term_words(f, t));
    while (f->slot_stamp[s] == f->stamp)
      s = (s + 1) & (f->n_slots - 1);
    f->slot_stamp[s] = f->stamp;
    f->slot[s] = t;
  }
}

/* The last n words of the vector are a new term, or one that is there. */
static sp_smt add_term(sp_formula *f, uint32_t n) {
  if (f->start.n * 2 >= f->n_slots)
    slots_grow(f);
  size_t at = f->words.n - n;
  const uint32_t *w = f->words.v + at;
  uint32_t s = slot_of(f, w, n);
  while (f->slot_stamp[s] == f->stamp) {
    uint32_t t = f->slot[s];
    if (term_words(f, t) == n &&
        memcmp(f->words.v + f->start.v[t], w, n * sizeof *w) == 0) {
      f->words.n = at;
      return (sp_smt){t};
    }
    s = (s + 1) & (f->n_slots - 1);
  }
  uint32_t t = (uint32_t)f->start.n;
  sp_push(f->ctx, &f->start, (uint32_t)at);
  f->slot_stamp[s] = f->stamp;
  f->slot[s] = t;
  return (sp_smt){t};
}

static void put_head(sp_formula *f, sp_smt_op op, uint32_t n,
                     uint64_t payload) {
  sp_push(f->ctx, &f->words, (uint32_t)op | n << 8);
  sp_push(f->ctx, &f->words, (uint32_t)payload);
  sp_push(f->ctx, &f->words, (uint32_t)(payload >> 32));
}

uint32_t sp_smt_declare(sp_formula *f, const char *stem, sp_smt_sort result,
                        uint32_t n_args, const sp_smt_sort *args) {
  sp_smt_decl d = {.stem = stem,
                   .result = result,
                   .first = (uint32_t)f->sorts.n,
                   .n_args = n_args};
  for (uint32_t i = 0; i < n_args; i++)
    sp_push(f->ctx, &f->sorts, args[i]);
  sp_push(f->ctx, &f->decls, d);
  return (uint32_t)f->decls.n - 1;
}

sp_smt sp_smt_int(sp_formula *f, int64_t v) {
  put_head(f, SP_SMT_INT, 0, (uint64_t)v);
  return add_term(f, HEAD);
}

sp_smt sp_smt_real(sp_formula *f, const char *text) {
  size_t length = strlen(text) + 1;
  uint32_t n = (uint32_t)((length + 3) / 4);
  put_head(f, SP_SMT_REAL, n, 0);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t w = 0;
    size_t left = length - 4 * (size_t)i;
    memcpy(&w, text + 4 * (size_t)i, left < 4 ? left : 4);
    sp_push(f->ctx, &f->words, w);
  }
  return add_term(f, HEAD + n);
}

sp_smt sp_smt_bool(sp_formula *f, bool v) {
  put_head(f, v ? SP_SMT_TRUE : SP_SMT_FALSE, 0, 0);
  return add_term(f, HEAD);
}

static sp_smt with_args(sp_formula *f, sp_smt_op op, uint64_t payload,
                        uint32_t n, const sp_smt *args) {
  put_head(f, op, n, payload);
  for (uint32_t i = 0; i < n; i++)
    sp_push(f->ctx, &f->words, args[i].v);
  return add_term(f, HEAD + n);
}

sp_smt sp_smt_app(sp_formula *f, uint32_t decl, uint32_t n,
                  const sp_smt *args) {
  assert(decl < f->decls.n && f->decls.v[decl].n_args == n);
  return with_args(f, SP_SMT_APP, decl, n, args);
}

sp_smt sp_smt_n(sp_formula *f, sp_smt_op op, uint32_t n, const sp_smt *args) {
  assert(n > 0);
  return with_args(f, op, 0, n, args);
}

sp_smt sp_smt_1(sp_formula *f, sp_smt_op op, sp_smt a) {
  return with_args(f, op, 0, 1, &a);
}

sp_smt sp_smt_2(sp_formula *f, sp_smt_op op, sp_smt a, sp_smt b) {
  return with_args(f, op, 0, 2, (sp_smt[]){a, b});
}

sp_smt sp_smt_3(sp_formula *f, sp_smt_op op, sp_smt a, sp_smt b, sp_smt c) {
  return with_args(f, op, 0, 3, (sp_smt[]){a, b, c});
}

void sp_smt_assert(sp_formula *f, sp_smt t) {
  sp_push(f->ctx, &f->asserts, t);
}

static const uint32_t *term_at(const sp_formula *f, uint32_t t) {
  assert(t < f->start.n);
  return f->words.v + f->start.v[t];
}

sp_smt_op sp_smt_op_of(const sp_formula *f, uint32_t t) {
  return (sp_smt_op)(term_at(f, t)[0] & 0xff);
}

uint32_t sp_smt_n_args(const sp_formula *f, uint32_t t) {
  const uint32_t *w = term_at(f, t);
  return (w[0] & 0xff) == SP_SMT_REAL ? 0 : w[0] >> 8;
}

uint32_t sp_smt_arg(const sp_formula *f, uint32_t t, uint32_t i) {
  assert(i < sp_smt_n_args(f, t));
  return term_at(f, t)[HEAD + i];
}

uint32_t sp_smt_decl_of(const sp_formula *f, uint32_t t) {
  assert(sp_smt_op_of(f, t) == SP_SMT_APP);
  return term_at(f, t)[1];
}

int64_t sp_smt_int_value(const sp_formula *f, uint32_t t) {
  assert(sp_smt_op_of(f, t) == SP_SMT_INT);
  const uint32_t *w = term_at(f, t);
  return (int64_t)((uint64_t)w[1] | (uint64_t)w[2] << 32);
}

const char *sp_smt_real_text(const sp_formula *f, uint32_t t) {
  assert(sp_smt_op_of(f, t) == SP_SMT_REAL);
  return (const char *)(term_at(f, t) + HEAD);
}

static void key_sort(sp_formula *f, sp_smt_sort s) {
  sp_push(f->ctx, &f->key, (uint32_t)s.base | s.depth << 8);
}

const uint32_t *sp_formula_key(sp_formula *f, size_t *n_words) {
  f->key.n = 0;
  sp_push(f->ctx, &f->key, (uint32_t)f->decls.n);
  for (size_t i = 0; i < f->decls.n; i++) {
    const sp_smt_decl *d = &f->decls.v[i];
    sp_push(f->ctx, &f->key, d->n_args);
    key_sort(f, d->result);
    for (uint32_t k = 0; k < d->n_args; k++)
      key_sort(f, f->sorts.v[d->first + k]);
  }
  sp_push(f->ctx, &f->key, (uint32_t)f->asserts.n);
  for (size_t i = 0; i < f->asserts.n; i++)
    sp_push(f->ctx, &f->key, f->asserts.v[i].v);
  /* the terms come last and each says its own length: nothing is ambiguous */
  for (size_t i = 0; i < f->words.n; i++)
    sp_push(f->ctx, &f->key, f->words.v[i]);
  *n_words = f->key.n;
  return f->key.v;
}
