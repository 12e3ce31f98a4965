/* smtlib.c: read sp_smtlib_print. A term that is used more than once, or that
 * lies deep, becomes a define-fun of its own; the others are printed where
 * they are used, so recursion is at most INLINE_DEPTH deep.
 */
#define _POSIX_C_SOURCE 200809L

#include "encode/smtlib.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { INLINE_DEPTH = 12 };

typedef struct shape {
  sp_smt_sort sort;
  uint32_t uses, depth; /* depth of what is printed in place */
  bool named;
} shape;

typedef struct printer {
  sp_ctx *ctx;
  sp_str *out;
  const sp_formula *f;
  shape *shapes; /* by term */
} printer;

static const char *const op_text[] = {
    [SP_SMT_TRUE] = "true",     [SP_SMT_FALSE] = "false",
    [SP_SMT_SELECT] = "select", [SP_SMT_ADD] = "+",
    [SP_SMT_MUL] = "*",         [SP_SMT_LE] = "<=",
    [SP_SMT_LT] = "<",          [SP_SMT_EQ] = "=",
    [SP_SMT_NOT] = "not",       [SP_SMT_AND] = "and",
    [SP_SMT_OR] = "or",         [SP_SMT_IMPLIES] = "=>",
    [SP_SMT_ITE] = "ite",       [SP_SMT_TO_REAL] = "to_real",
    [SP_SMT_INT] = NULL,        [SP_SMT_REAL] = NULL,
    [SP_SMT_APP] = NULL,
};

static void put(printer *p, const char *text) {
  sp_str_add(p->ctx, p->out, text);
}

static void put_comment(printer *p, const char *label, const char *text) {
  if (text == NULL || text[0] == '\0')
    return;
  sp_str_addf(p->ctx, p->out, "; %s", label);
  size_t at = p->out->n;
  put(p, text);
  for (; at < p->out->n; at++)
    if ((unsigned char)p->out->v[at] < 0x20 || p->out->v[at] == 0x7f)
      p->out->v[at] = ' ';
  put(p, "\n");
}

static void put_sort(printer *p, sp_smt_sort s) {
  static const char *const base[] = {
      [SP_SORT_INT] = "Int", [SP_SORT_REAL] = "Real", [SP_SORT_BOOL] = "Bool"};
  for (uint32_t i = 0; i < s.depth; i++)
    put(p, "(Array Int ");
  put(p, base[s.base]);
  for (uint32_t i = 0; i < s.depth; i++)
    put(p, ")");
}

static void put_decl_name(printer *p, uint32_t d) {
  sp_str_addf(p->ctx, p->out, "%s%u", p->f->decls.v[d].stem, d);
}

static void put_int(printer *p, int64_t v) {
  if (v < 0)
    sp_str_addf(p->ctx, p->out, "(- %" PRIu64 ")", 0 - (uint64_t)v);
  else
    sp_str_addf(p->ctx, p->out, "%" PRId64, v);
}

/* "-3/4" is (- (/ 3.0 4.0)) */
static void put_real(printer *p, const char *text) {
  bool negative = text[0] == '-';
  text += negative;
  const char *slash = strchr(text, '/');
  put(p, negative ? "(- " : "");
  if (slash == NULL) {
    sp_str_addf(p->ctx, p->out, "%s.0", text);
  } else {
    put(p, "(/ ");
    sp_str_addn(p->ctx, p->out, text, (size_t)(slash - text));
    sp_str_addf(p->ctx, p->out, ".0 %s.0)", slash + 1);
  }
  put(p, negative ? ")" : "");
}

static sp_smt_sort sort_of(const printer *p, uint32_t t) {
  const sp_formula *f = p->f;
  sp_smt_op op = sp_smt_op_of(f, t);
  switch (op) {
  case SP_SMT_INT:
    return (sp_smt_sort){SP_SORT_INT, 0};
  case SP_SMT_REAL:
  case SP_SMT_TO_REAL:
    return (sp_smt_sort){SP_SORT_REAL, 0};
  case SP_SMT_APP:
    return f->decls.v[sp_smt_decl_of(f, t)].result;
  case SP_SMT_SELECT: {
    sp_smt_sort s = p->shapes[sp_smt_arg(f, t, 0)].sort;
    s.depth--;
    return s;
  }
  case SP_SMT_ADD:
  case SP_SMT_MUL:
    return p->shapes[sp_smt_arg(f, t, 0)].sort;
  case SP_SMT_ITE:
    return p->shapes[sp_smt_arg(f, t, 1)].sort;
  case SP_SMT_TRUE:
  case SP_SMT_FALSE:
  case SP_SMT_LE:
  case SP_SMT_LT:
  case SP_SMT_EQ:
  case SP_SMT_NOT:
  case SP_SMT_AND:
  case SP_SMT_OR:
  case SP_SMT_IMPLIES:
    break;
  }
  return (sp_smt_sort){SP_SORT_BOOL, 0};
}

static void measure(printer *p) {
  const sp_formula *f = p->f;
  uint32_t size = sp_formula_size(f);
  for (uint32_t t = 0; t < size; t++)
    for (uint32_t i = 0; i < sp_smt_n_args(f, t); i++)
      p->shapes[sp_smt_arg(f, t, i)].uses++;
  for (size_t i = 0; i < f->asserts.n; i++)
    p->shapes[f->asserts.v[i].v].uses++;
  for (uint32_t t = 0; t < size; t++) {
    shape *s = &p->shapes[t];
    s->sort = sort_of(p, t);
    for (uint32_t i = 0; i < sp_smt_n_args(f, t); i++) {
      const shape *arg = &p->shapes[sp_smt_arg(f, t, i)];
      if (!arg->named && s->depth < arg->depth + 1)
        s->depth = arg->depth + 1;
    }
    s->named = s->depth > 0 && (s->uses > 1 || s->depth >= INLINE_DEPTH);
  }
}

static void put_term(printer *p, uint32_t t);

/* The term itself, whether it has a name or not. */
static void put_body(printer *p, uint32_t t) {
  const sp_formula *f = p->f;
  uint32_t n = sp_smt_n_args(f, t);
  sp_smt_op op = sp_smt_op_of(f, t);
  if (op == SP_SMT_INT) {
    put_int(p, sp_smt_int_value(f, t));
    return;
  }
  if (op == SP_SMT_REAL) {
    put_real(p, sp_smt_real_text(f, t));
    return;
  }
  put(p, n > 0 ? "(" : "");
  if (op == SP_SMT_APP)
    put_decl_name(p, sp_smt_decl_of(f, t));
  else
    put(p, op_text[op]);
  for (uint32_t i = 0; i < n; i++) {
    put(p, " ");
    put_term(p, sp_smt_arg(f, t, i));
  }
  put(p, n > 0 ? ")" : "");
}

static void put_term(printer *p, uint32_t t) {
  if (p->shapes[t].named)
    sp_str_addf(p->ctx, p->out, "x%u", t);
  else
    put_body(p, t);
}

static void put_decls(printer *p, const sp_smtlib_notes *notes) {
  const sp_formula *f = p->f;
  for (uint32_t i = 0; i < f->decls.n; i++) {
    const sp_smt_decl *d = &f->decls.v[i];
    if (notes->decl != NULL)
      put_comment(p, "  ", notes->decl(notes->user, i));
    put(p, "(declare-fun ");
    put_decl_name(p, i);
    put(p, " (");
    for (uint32_t k = 0; k < d->n_args; k++) {
      put(p, k > 0 ? " " : "");
      put_sort(p, f->sorts.v[d->first + k]);
    }
    put(p, ") ");
    put_sort(p, d->result);
    put(p, ")\n");
  }
}

void sp_smtlib_print(sp_str *out, const sp_formula *f, bool proved,
                     const sp_smtlib_notes *notes) {
  printer p = {.ctx = f->ctx, .out = out, .f = f};
  uint32_t size = sp_formula_size(f);
  sp_mark mark = sp_scratch_mark(f->ctx);
  p.shapes = sp_scratch(f->ctx, (size + 1) * sizeof *p.shapes);
  memset(p.shapes, 0, (size + 1) * sizeof *p.shapes);
  measure(&p);
  put_comment(&p, "rule: ", notes->rule);
  put_comment(&p, "about: ", notes->about);
  put_comment(&p, "answer: ", notes->answer);
  put(&p, "(set-info :smt-lib-version 2.6)\n");
  if (proved)
    put(&p, "(set-info :status unsat)\n");
  put(&p, "(set-logic QF_AUFLIRA)\n");
  put_decls(&p, notes);
  for (uint32_t t = 0; t < size; t++) {
    if (!p.shapes[t].named)
      continue;
    sp_str_addf(p.ctx, out, "(define-fun x%u () ", t);
    put_sort(&p, p.shapes[t].sort);
    put(&p, " ");
    put_body(&p, t);
    put(&p, ")\n");
  }
  for (size_t i = 0; i < f->asserts.n; i++) {
    put(&p, "(assert ");
    put_term(&p, f->asserts.v[i].v);
    put(&p, ")\n");
  }
  put(&p, "(check-sat)\n(exit)\n");
  sp_scratch_release(f->ctx, mark);
}

/* "re-index: bodies" is re-index-bodies in a file name. */
static const char *file_word(sp_ctx *ctx, const char *rule) {
  sp_str s = {0};
  sp_str_add(ctx, &s, "");
  for (const char *c = rule; *c != '\0' && s.n < 60; c++) {
    bool word = (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9');
    bool upper = *c >= 'A' && *c <= 'Z';
    char lower = upper ? (char)(*c - 'A' + 'a') : *c;
    if (word || upper)
      sp_str_addn(ctx, &s, &lower, 1);
    else if (s.n > 0 && s.v[s.n - 1] != '-')
      sp_str_add(ctx, &s, "-");
  }
  return s.v;
}

static noreturn void cannot_write(sp_ctx *ctx, const char *path) {
  sp_loc loc = sp_nowhere();
  loc.file = path;
  sp_raise(ctx, SP_ERR_INPUT, loc,
           "the folder for SMT-LIB files must be writable",
           "cannot write %s: %s", path, strerror(errno));
}

static void make_dir(sp_ctx *ctx, const char *dir) {
  if (mkdir(dir, 0777) == 0 || errno == EEXIST)
    return;
  cannot_write(ctx, dir);
}

void sp_smtlib_write(sp_ctx *ctx, const char *dir, uint64_t number,
                     const char *rule, const sp_str *text) {
  make_dir(ctx, dir);
  const char *path = sp_format(ctx, "%s/%05" PRIu64 "-%s.smt2", dir, number,
                               file_word(ctx, rule));
  const char *part = sp_format(ctx, "%s.part", path);
  FILE *file = fopen(part, "wb");
  if (file == NULL)
    cannot_write(ctx, part);
  bool good = fwrite(text->v, 1, text->n, file) == text->n;
  int saved = errno;
  if (fclose(file) != 0 && good) {
    good = false;
    saved = errno;
  }
  if (good && rename(part, path) != 0) {
    good = false;
    saved = errno;
  }
  if (good)
    return;
  remove(part);
  errno = saved;
  cannot_write(ctx, path);
}
