/* meaning_term.h: making terms of formulas. Inside encode/ only: meaning_term.c
 * is the fold over a formula, meaning_call.c has calls and reductions,
 * meaning_read.c reads of tensors. */
#ifndef SP_ENCODE_MEANING_TERM_H
#define SP_ENCODE_MEANING_TERM_H

#include "base/vec.h"
#include "encode/meaning_i.h"

/* A term, several of them, or a text. */
typedef struct spi_formed {
  enum { SPI_TERM, SPI_LIST, SPI_TEXT } kind;
  sp_expr e;
  uint32_t n;
  const sp_expr *v;
  const char *text;
} spi_formed;

typedef struct spi_binding {
  const char *name;
  spi_formed value;
  const struct spi_binding *next;
} spi_binding;

/* Terms in a row. */
typedef SP_VEC(sp_expr) spi_terms;

typedef struct spi_forming {
  const sp_call *call;
  sp_pool *p;
  sp_ctx *ctx;
  spi_sizes sizes;
  const sp_meaning *m;
  const spi_binding *local;
  uint32_t work, depth;
  sp_meaning_visit visit; /* or NULL */
  void *visit_env;
  spi_terms guards;
} spi_forming;

static inline spi_formed spi_of(sp_expr e) {
  return (spi_formed){.kind = SPI_TERM, .e = e};
}

/* ---- meaning_term.c ---- */
noreturn void spi_form_wrong(const spi_forming *t, const sp_lang *e,
                             const char *text);
/* hint: or NULL */
noreturn void spi_form_wrong_with(const spi_forming *t, const sp_lang *e,
                                  const char *hint, const char *text);
spi_formed spi_form(spi_forming *t, const sp_lang *e);
sp_expr spi_form_term(spi_forming *t, const sp_lang *e); /* one term */
sp_expr spi_form_int(spi_forming *t, const sp_lang *e);
sp_expr spi_form_real(spi_forming *t, const sp_lang *e);
sp_expr spi_form_bool(spi_forming *t, const sp_lang *e);
/* Both as integers, or both as reals. */
sp_sort spi_join_sorts(spi_forming *t, const sp_lang *e, sp_expr *a,
                       sp_expr *b);
void spi_form_bind(spi_forming *t, const char *name, spi_formed v);
spi_terms spi_form_list(spi_forming *t, uint32_t n, const sp_lang *const *args);
spi_terms spi_form_ints(spi_forming *t, const sp_lang *e, uint32_t n,
                        const sp_lang *const *args);
/* The values of one item: several of a spread one. */
void spi_form_append(spi_forming *t, const sp_lang *e, spi_terms *out);
const sp_meaning_statement *spi_form_statement(const spi_forming *t,
                                               const char *name);
/* A statement's body where its variables have these values. */
spi_formed spi_form_apply(spi_forming *t, const sp_meaning_statement *s,
                          const sp_lang *at, uint32_t n, const sp_expr *v);

/* ---- meaning_read.c ---- */
/* The tensor at n indices, on the rank that e names. */
spi_formed spi_form_read(spi_forming *t, const sp_meaning_param *q,
                         const sp_lang *e, uint32_t n, const sp_expr *idx);
spi_formed spi_form_coordinate(spi_forming *t, const sp_lang *e); /* @g */

/* ---- meaning_call.c ---- */
spi_formed spi_form_call(spi_forming *t, const sp_lang *e);
/* sum(k < n; body) and the like */
spi_formed spi_form_reduction(spi_forming *t, const sp_lang *e);

#endif
