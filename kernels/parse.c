/* parse.c: reading a kernel file: statements by their first word. Read
 * sp_kernel_read_text, at the end. What stands in formulas is encode/lang.c's
 * business, what names mean lower.c's. Lines do not count: a statement ends
 * where what follows cannot go on with it. */
#include "base/file.h"
#include "encode/lang_names.h"
#include "kernels/ast.h"

#include <string.h>

enum { MAX_STATEMENTS = 4096, MAX_NESTED = 8, MAX_FILE = 1 << 24 };

typedef struct reading {
  sp_ctx *ctx;
  sp_lang_reader r;
  sp_kernel *k;
  uint32_t statements, nested;
} reading;

static noreturn void fail(const reading *x, sp_loc loc, const char *hint,
                          const char *text) {
  sp_lang_fail(x->ctx, loc, hint, "%s", text);
}

/* ---- names ---- */

static bool is_keyword(const char *name) {
  static const char *const words[] = {
      "mesh", "let",    "input",  "func", "sequential", "parallel", "prove",
      "only", "expect", "assume", "over", "where",      "repeat",   "is",
      "on",   "if",     "then",   "else", "and",        "or",       "not",
      "div",  "mod",    "inf",    "true", "false",      "for",
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(words[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static const char *new_name(reading *x, const char *what) {
  sp_loc loc = x->r.loc;
  const char *name = sp_lang_name(&x->r, what);
  if (is_keyword(name)) {
    sp_lang_fail(x->ctx, loc, "take another name",
                 "%s is a word of the language", name);
  }
  return name;
}

/* "a, b" of plain names */
static void names(reading *x, spi_vars *out, const char *what) {
  do {
    sp_lang_var v = {.loc = x->r.loc};
    v.name = new_name(x, what);
    sp_push(x->ctx, out, v);
  } while (sp_lang_accept(&x->r, ","));
}

static sp_dtype type(reading *x) {
  sp_loc loc = x->r.loc;
  const char *name = sp_lang_name(&x->r, "a type");
  if (strcmp(name, "real") == 0) {
    return SP_F32;
  }
  if (strcmp(name, "int") == 0) {
    return SP_S64;
  }
  if (strcmp(name, "bool") == 0) {
    return SP_PRED;
  }
  sp_lang_fail(x->ctx, loc, "real, int or bool", "%.60s is no type", name);
}

/* "[a, b]"; nothing is a scalar. */
static void dims(reading *x, spi_declared *d) {
  if (!sp_lang_is(&x->r, "[")) {
    return;
  }
  const sp_lang *list = sp_lang_expression(&x->r);
  d->n = list->n;
  d->dims = list->args;
}

/* ---- placements ---- */

static bool is_placement(const sp_lang_reader *r) {
  return sp_lang_is(r, "replicated") || sp_lang_is(r, "shard") ||
         sp_lang_is(r, "partial");
}

/* "over g, h", up to a comma that begins the next placement. */
static void over(reading *x, spi_vars *out) {
  sp_lang_reader *r = &x->r;
  if (!sp_lang_accept(r, "over")) {
    return;
  }
  for (;;) {
    sp_lang_var v = {.loc = r->loc};
    v.name = new_name(x, "a mesh axis after over");
    sp_push(x->ctx, out, v);
    sp_lang_reader ahead = *r;
    if (!sp_lang_accept(&ahead, ",") || is_placement(&ahead)) {
      return;
    }
    *r = ahead;
  }
}

static void partial(reading *x) {
  sp_lang_expect(&x->r, "(", "after partial");
  sp_loc loc = x->r.loc;
  if (!sp_lang_accept(&x->r, "sum")) {
    fail(x, loc, NULL, "partial results are sums here: partial(sum)");
  }
  sp_lang_expect(&x->r, ")", "after the reduction");
}

static spi_place placement(reading *x) {
  sp_lang_reader *r = &x->r;
  spi_place p = {.loc = r->loc};
  if (sp_lang_accept(r, "shard")) {
    p.kind = SPI_PLACE_SHARD;
    if (!sp_lang_accept(r, "(")) {
      fail(x, r->loc, "shard(0) over AXIS cuts the first dimension",
           "shard needs a dimension");
    }
    p.dim = sp_lang_sum(r);
    p.block = sp_lang_accept(r, ",") ? sp_lang_sum(r) : NULL;
    sp_lang_expect(r, ")", "after the dimension");
  } else if (sp_lang_accept(r, "partial")) {
    p.kind = SPI_PLACE_PARTIAL;
    partial(x);
  } else if (!sp_lang_accept(r, "replicated")) {
    fail(x, r->loc, "replicated, shard(d) over AXIS, partial(sum) over AXIS",
         "a placement expected");
  }
  spi_vars axes = {0};
  over(x, &axes);
  p.n_axes = (uint32_t)axes.n;
  p.axes = axes.v;
  return p;
}

static void placements(reading *x, spi_places *out) {
  do {
    sp_push(x->ctx, out, placement(x));
  } while (sp_lang_accept(&x->r, ","));
}

/* ---- statements of the two programs ---- */

static spi_statement *statement(reading *x, spi_statement_kind kind,
                                sp_loc loc) {
  if (++x->statements > MAX_STATEMENTS) {
    sp_lang_fail(x->ctx, loc, NULL, "over %d statements", MAX_STATEMENTS);
  }
  spi_statement *s = sp_alloc(x->ctx, sizeof *s);
  s->kind = kind;
  s->loc = loc;
  return s;
}

static void let(reading *x, spi_statements *out) {
  do {
    spi_statement *s = statement(x, SPI_LET, x->r.loc);
    s->name = new_name(x, "a name after let");
    sp_lang_expect(&x->r, "=", "after the name");
    s->body = sp_lang_expression(&x->r);
    sp_push(x->ctx, out, s);
  } while (sp_lang_accept(&x->r, ","));
}

/* "[i < M, j < N]", after '['. */
static void index_vars(reading *x, spi_statement *s) {
  sp_lang_reader *r = &x->r;
  spi_vars vars = {0};
  do {
    sp_lang_var v = {.loc = r->loc};
    v.name = new_name(x, "an index");
    if (!sp_lang_accept(r, "<")) {
      fail(x, r->loc, "NAME[i < M, j < N] = ...; sum(k < K) x[k]",
           "an index needs its extent: \"<\" expected");
    }
    v.size = sp_lang_sum(r);
    sp_push(x->ctx, &vars, v);
  } while (sp_lang_accept(r, ","));
  sp_lang_expect(r, "]", "after the indices");
  s->n_vars = (uint32_t)vars.n;
  s->vars = vars.v;
}

static bool is_collective(const sp_lang_reader *r) {
  static const char *const words[] = {"all_reduce", "reduce_scatter",
                                      "all_gather", "all_to_all",
                                      "shift",      "broadcast"};
  sp_lang_reader ahead = *r;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (sp_lang_accept(&ahead, words[i])) {
      return sp_lang_is(&ahead, "(");
    }
  }
  return false;
}

static bool is_relation(const sp_lang_reader *r) {
  sp_lang_reader ahead = *r;
  if (ahead.token != SP_LANG_WORD) {
    return false;
  }
  sp_lang_next(&ahead);
  return is_placement(&ahead);
}

/* What is right of '='. */
static void right_side(reading *x, spi_statement *s, bool indexed) {
  sp_lang_reader *r = &x->r;
  if (!indexed && is_relation(r)) {
    s->kind = SPI_RELATE;
    s->source = sp_lang_name(r, "a tensor");
    placements(x, &s->places);
    return;
  }
  if (!indexed && is_collective(r)) {
    s->kind = SPI_COLLECTIVE;
    s->body = sp_lang_expression(r);
    over(x, &s->axes);
    if (s->body->kind != SP_LANG_CALL) {
      fail(x, s->loc, "give its result a name first",
           "a collective stands alone");
    }
    return;
  }
  s->body = sp_lang_expression(r);
  bool bare = s->body->kind == SP_LANG_NAME ||
              (s->body->kind == SP_LANG_READ && s->body->n == 0);
  if (!indexed && bare && strcmp(s->body->name, "inf") != 0) {
    s->kind = SPI_COPY;
  } else if (sp_lang_accept(r, "where")) {
    s->guard = sp_lang_expression(r);
  }
}

static void define(reading *x, spi_statements *out) {
  sp_lang_reader *r = &x->r;
  const spi_statement *before = out->n ? out->v[out->n - 1] : NULL;
  spi_statement *s = statement(x, SPI_DEFINE, r->loc);
  spi_not_a_statement(r, before);
  s->name = new_name(x, "a statement");
  bool indexed = sp_lang_accept(r, "[");
  if (indexed) {
    index_vars(x, s);
  }
  if (sp_lang_accept(r, ":")) {
    s->dtype = type(x);
  }
  if (!sp_lang_accept(r, "=")) {
    spi_wrong_statement(r, s->name, s->loc, before);
  }
  right_side(x, s, indexed);
  sp_push(x->ctx, out, s);
}

static void block(reading *x, spi_statements *out);

/* "s < 4" after repeat, "s in 0..4" after for. */
static void steps(reading *x, spi_statement *s, bool range) {
  sp_lang_reader *r = &x->r;
  const char *usage = range ? "for s in 0..4 { ... }: s is 0, 1, 2, 3"
                            : "repeat s < 4 { ... }: s is 0, 1, 2, 3";
  if (r->token != SP_LANG_WORD) {
    sp_lang_fail(x->ctx, r->loc, usage,
                 "the name of a counter expected, not %s", sp_lang_found(r));
  }
  s->name = new_name(x, "the name of a counter");
  if (!sp_lang_accept(r, range ? "in" : "<")) {
    sp_lang_fail(x->ctx, r->loc, usage,
                 "\"%s\" is missing after the counter, before %s",
                 range ? "in" : "<", sp_lang_found(r));
  }
  s->body = sp_lang_sum(r);
  if (!range) {
    return;
  }
  s->from = s->body;
  if (!sp_lang_accept(r, "..")) {
    sp_lang_fail(x->ctx, r->loc, usage,
                 "\"..\" is missing in the range, before %s", sp_lang_found(r));
  }
  s->body = sp_lang_sum(r);
}

static void repeat(reading *x, spi_statements *out, bool range) {
  spi_statement *s = statement(x, SPI_REPEAT, x->r.loc);
  steps(x, s, range);
  if (++x->nested > MAX_NESTED) {
    sp_lang_fail(x->ctx, s->loc, NULL, "over %d nested repeats", MAX_NESTED);
  }
  block(x, &s->inner);
  x->nested--;
  sp_push(x->ctx, out, s);
}

/* "{ ... }": recursion is limited by MAX_NESTED. */
static void block(reading *x, spi_statements *out) {
  sp_lang_reader *r = &x->r;
  sp_loc begin = r->loc;
  sp_lang_expect(r, "{", "before the statements");
  while (!sp_lang_accept(r, "}")) {
    spi_open_block(r, begin);
    if (sp_lang_accept(r, ";")) {
      continue;
    }
    if (sp_lang_accept(r, "let")) {
      let(x, out);
    } else if (sp_lang_accept(r, "repeat")) {
      repeat(x, out, false);
    } else if (sp_lang_accept(r, "for")) {
      repeat(x, out, true);
    } else {
      define(x, out);
    }
  }
}

/* ---- statements of the file ---- */

static void mesh(reading *x) {
  do {
    spi_declared d = {.loc = x->r.loc};
    d.name = new_name(x, "a mesh axis");
    dims(x, &d);
    if (d.n != 1) {
      fail(x, d.loc, "mesh g[4], h[2]", "an axis has one size");
    }
    sp_push(x->ctx, &x->k->axes, d);
  } while (sp_lang_accept(&x->r, ","));
}

static void input(reading *x) {
  do {
    spi_declared d = {.loc = x->r.loc, .dtype = SP_F32};
    d.name = new_name(x, "an input");
    dims(x, &d);
    d.dtype = sp_lang_accept(&x->r, ":") ? type(x) : SP_F32;
    sp_push(x->ctx, &x->k->inputs, d);
  } while (sp_lang_accept(&x->r, ","));
}

static void function(reading *x) {
  sp_lang_reader *r = &x->r;
  spi_function f = {.loc = r->loc};
  f.name = new_name(x, "a function");
  sp_lang_expect(r, "(", "after the function");
  f.vars = sp_lang_variables(r, ")", &f.n_vars);
  for (uint32_t i = 0; i < f.n_vars; i++) {
    if (f.vars[i].spread) {
      fail(x, f.vars[i].loc, NULL, "* means nothing here");
    }
  }
  f.body = sp_lang_accept(r, "=") ? sp_lang_expression(r) : NULL;
  sp_push(x->ctx, &x->k->functions, f);
}

static void once(const reading *x, bool *seen, sp_loc loc, const char *what) {
  if (*seen) {
    sp_lang_fail(x->ctx, loc, "a file has one", "a second %s", what);
  }
  *seen = true;
}

static void parallel(reading *x, sp_loc loc) {
  once(x, &x->k->has_parallel, loc, "parallel program");
  x->k->parallel_loc = loc;
  if (sp_lang_accept(&x->r, "on")) {
    names(x, &x->k->on, "a mesh axis after on");
  }
  block(x, &x->k->parallel);
}

/* The text between two positions, up to a comment or the line's end. */
static const char *written(const reading *x, size_t from, size_t to) {
  const char *text = x->r.text.text + from;
  size_t n = 0;
  while (n < to - from && !strchr("#\r\n", text[n])) {
    n++;
  }
  while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == ';')) {
    n--;
  }
  return sp_strndup(x->ctx, text, n);
}

static size_t token_at(const reading *x) {
  return x->r.at - strlen(x->r.word);
}

#define PROVE_USAGE "prove c is C replicated; prove c[i] is C[i + @g]"

static void prove(reading *x, sp_loc loc) {
  sp_lang_reader *r = &x->r;
  spi_promise p = {.loc = loc, .only = sp_lang_accept(r, "only")};
  p.name_loc = r->loc;
  p.name = new_name(x, "a tensor after prove");
  if (sp_lang_accept(r, "[")) {
    p.vars = sp_lang_variables(r, "]", &p.n_vars);
  }
  if (!sp_lang_accept(r, "is")) {
    fail(x, r->loc, PROVE_USAGE, "\"is\" is missing after what is proved");
  }
  size_t from = token_at(x), to = from;
  p.source_loc = r->loc;
  if (is_relation(r)) {
    p.source = sp_lang_name(r, "a sequential tensor");
    placements(x, &p.places);
    to = token_at(x);
  } else {
    p.mapped = true;
    p.read = sp_lang_expression(r);
    to = token_at(x);
    bool read = p.read->kind == SP_LANG_READ && p.read->n_vars == 0;
    if (p.read->kind != SP_LANG_NAME && !read) {
      fail(x, p.source_loc, PROVE_USAGE,
           "a sequential tensor expected, with a placement or indices");
    }
    p.source = p.read->name;
    p.guard = sp_lang_accept(r, "where") ? sp_lang_expression(r) : NULL;
    to = p.guard ? token_at(x) : to;
  }
  p.text = written(x, from, to);
  sp_push(x->ctx, &x->k->promises, p);
}

static void expect(reading *x, sp_loc loc) {
  sp_kernel_expectation *e = &x->k->expect;
  once(x, &e->given, loc, "expectation");
  e->loc = loc;
  loc = x->r.loc;
  const char *word = sp_lang_name(&x->r, "a verdict");
  if (strcmp(word, "violation") == 0) {
    e->verdict = SP_VIOLATION;
    e->at = sp_lang_accept(&x->r, "at") ? new_name(x, "a tensor") : NULL;
  } else if (strcmp(word, "unproven") == 0) {
    e->verdict = SP_UNPROVEN;
  } else if (strcmp(word, "refines") == 0) {
    e->verdict = SP_REFINES;
  } else {
    fail(x, loc, "expect violation at TENSOR, expect unproven, expect refines",
         "a verdict expected");
  }
}

static noreturn void unknown_statement(const reading *x) {
  static const char *const words[] = {"mesh",  "let",      "input",
                                      "func",  "assume",   "sequential",
                                      "prove", "parallel", "expect"};
  const sp_lang_reader *r = &x->r;
  const char *near =
      r->token == SP_LANG_WORD ? sp_lang_nearest(r->word, words, 9) : NULL;
  const char *hint = sp_lang_hint(r);
  sp_lang_fail(x->ctx, r->loc,
               near   ? sp_format(x->ctx, "did you mean %s?", near)
               : hint ? hint
                      : "mesh, let, input, func, assume, sequential, parallel, "
                        "prove, expect",
               "a statement expected, not %s", sp_lang_found(r));
}

static void top_level(reading *x) {
  sp_lang_reader *r = &x->r;
  sp_loc loc = r->loc;
  if (sp_lang_accept(r, ";")) {
    return;
  }
  if (sp_lang_accept(r, "let")) {
    let(x, &x->k->lets);
  } else if (sp_lang_accept(r, "mesh")) {
    mesh(x);
  } else if (sp_lang_accept(r, "input")) {
    input(x);
  } else if (sp_lang_accept(r, "func")) {
    function(x);
  } else if (sp_lang_accept(r, "assume")) {
    sp_push(x->ctx, &x->k->assumptions, sp_lang_expression(r));
  } else if (sp_lang_accept(r, "sequential")) {
    once(x, &x->k->has_sequential, loc, "sequential program");
    block(x, &x->k->sequential);
  } else if (sp_lang_accept(r, "parallel")) {
    parallel(x, loc);
  } else if (sp_lang_accept(r, "prove")) {
    prove(x, loc);
  } else if (sp_lang_accept(r, "expect")) {
    expect(x, loc);
  } else {
    unknown_statement(x);
  }
}

const sp_kernel *sp_kernel_read_text(sp_ctx *ctx, const char *file,
                                     const char *text, size_t n) {
  const char *nul = memchr(text, '\0', n);
  if (nul) {
    const sp_loc loc = {
        .file = file, .byte = (uint64_t)(nul - text), .has_byte = true};
    sp_lang_fail(ctx, loc, NULL, "a NUL byte: this is no text");
  }
  reading x = {.ctx = ctx, .k = sp_alloc(ctx, sizeof *x.k)};
  x.k->file = file;
  const sp_lang_text whole = {text, n, file, 1, 1, 1};
  sp_lang_start(&x.r, ctx, &whole);
  x.r.free = true;
  if (x.r.token == SP_LANG_LINE) {
    sp_lang_next(&x.r);
  }
  while (x.r.token != SP_LANG_END) {
    top_level(&x);
  }
  sp_loc end = x.r.loc;
  if (!x.k->has_sequential || !x.k->has_parallel) {
    sp_lang_fail(ctx, end, "docs/kernels.md has an example",
                 "the file has no %s program",
                 x.k->has_sequential ? "parallel" : "sequential");
  }
  if (x.k->promises.n == 0) {
    fail(&x, end, "prove TENSOR is TENSOR replicated",
         "nothing is to be proved");
  }
  return x.k;
}

const sp_kernel *sp_kernel_read_file(sp_ctx *ctx, const char *path) {
  size_t n;
  const char *text =
      sp_file_read(ctx, path, (sp_loc){.file = path}, MAX_FILE, &n);
  return sp_kernel_read_text(ctx, path, text, n);
}

const sp_kernel_expectation *sp_kernel_expects(const sp_kernel *kernel) {
  return &kernel->expect;
}
