/* mistakes.c: a statement that cannot be read: what was meant, so that a
 * newcomer sees what to write. Nothing here decides what is accepted. */
#include "kernels/ast.h"

#include "encode/lang_names.h"

#include <string.h>

static const char *const collectives[] = {"all_reduce", "reduce_scatter",
                                          "all_gather", "all_to_all",
                                          "shift",      "broadcast"};
enum { N_COLLECTIVES = sizeof collectives / sizeof *collectives };

static bool is_loop(const char *word) {
  return strcmp(word, "while") == 0 || strcmp(word, "loop") == 0 ||
         strcmp(word, "forall") == 0;
}

static bool is_type(const char *word) {
  static const char *const words[] = {"float", "double", "real", "int",
                                      "bool",  "auto",   "var",  "const"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(words[i], word) == 0) {
      return true;
    }
  }
  return false;
}

/* "a = A sharded(1)": a word that does not go on with the copy before it, in
 * its line. */
static const char *placement_hint(sp_ctx *ctx, const char *word, sp_loc loc,
                                  const spi_statement *before) {
  static const char *const words[] = {"shard", "replicated", "partial", "over"};
  if (!before || before->kind != SPI_COPY || before->loc.line != loc.line) {
    return NULL;
  }
  if (strncmp(word, "shard", 5) == 0) {
    return "did you mean shard(d) over AXIS?";
  }
  const char *near = sp_lang_nearest(word, words, 4);
  return near ? sp_format(ctx, "did you mean %s?", near)
              : "placements are replicated, shard(d), partial(sum)";
}

noreturn void spi_wrong_statement(sp_lang_reader *r, const char *word,
                                  sp_loc loc, const spi_statement *before) {
  static const char *const words[] = {"let", "repeat", "for"};
  const char *hint = placement_hint(r->ctx, word, loc, before);
  if (hint) {
    sp_lang_fail(r->ctx, loc, hint, "%.60s is no placement", word);
  }
  if (is_loop(word)) {
    hint = "loops are repeat s < 4 { ... } and for s in 0..4 { ... }";
  } else if (is_type(word)) {
    hint = "a type stands after the name: x[i < N]: int = ...";
  } else if (strcmp(word, "return") == 0) {
    hint = "nothing is returned: prove, after the programs, says what counts";
  } else if (sp_lang_is(r, "(")) {
    hint = "indices stand in brackets: NAME[i < N] = ...";
  } else if (r->token == SP_LANG_SIGN && strchr("+-*/", *r->word)) {
    hint = sp_format(r->ctx, "write it out: %.60s = %.60s %c ...", word, word,
                     *r->word);
  } else {
    const char *near = sp_lang_nearest(word, words, 3);
    const char *also = sp_lang_hint(r);
    hint = near && r->token == SP_LANG_WORD
               ? sp_format(r->ctx, "did you mean %s?", near)
           : also ? also
                  : "a statement is NAME[i < N] = ..., let, repeat or for";
  }
  sp_lang_fail(r->ctx, r->loc, hint, "\"=\" is missing after %.60s, before %s",
               word, sp_lang_found(r));
}

/* "c = allreduce(sum, p) over g": over is left after a formula. */
static noreturn void stray_over(sp_lang_reader *r,
                                const spi_statement *before) {
  const sp_lang *e = before ? before->body : NULL;
  bool call = e && before->kind == SPI_DEFINE && e->kind == SP_LANG_CALL;
  for (size_t i = 0; call && i < N_COLLECTIVES; i++) {
    if (strcmp(collectives[i], e->name) == 0) {
      sp_lang_fail(r->ctx, before->loc,
                   sp_format(r->ctx,
                             "write %s = %s(...) over ..., without "
                             "indices",
                             before->name, e->name),
                   "a collective gives a whole tensor");
    }
  }
  if (call) {
    const char *near = sp_lang_nearest(e->name, collectives, N_COLLECTIVES);
    sp_lang_fail(r->ctx, e->loc,
                 near ? sp_format(r->ctx, "did you mean %s?", near)
                      : "all_reduce, reduce_scatter, all_gather, all_to_all, "
                        "shift, broadcast",
                 "there is no collective %.60s", e->name);
  }
  sp_lang_fail(r->ctx, r->loc,
               "over AXIS stands after a placement or a collective",
               "over does not belong to what is before it");
}

void spi_not_a_statement(sp_lang_reader *r, const spi_statement *before) {
  if (sp_lang_is(r, "over")) {
    stray_over(r, before);
  }
  if (sp_lang_is(r, "if")) {
    sp_lang_fail(r->ctx, r->loc, "write x[i < N] = if ... then ... else ...",
                 "if is a formula, no statement");
  }
  if (sp_lang_is(r, "where")) {
    sp_lang_fail(r->ctx, r->loc, "x[i < N] = A[i] where CONDITION",
                 "where does not belong to what is before it");
  }
  if (r->token == SP_LANG_SIGN) {
    const char *hint = sp_lang_hint(r);
    sp_lang_fail(r->ctx, r->loc,
                 hint ? hint
                      : "a statement is NAME[i < N] = ..., let, repeat or for",
                 "a statement expected, not %s", sp_lang_found(r));
  }
}

void spi_open_block(sp_lang_reader *r, sp_loc begin) {
  static const char *const words[] = {
      "mesh",       "input",    "func",  "assume",
      "sequential", "parallel", "prove", "expect",
  };
  bool ends = r->token == SP_LANG_END;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    ends = ends || sp_lang_is(r, words[i]);
  }
  if (ends) {
    sp_lang_fail(
        r->ctx, r->loc,
        sp_format(r->ctx, "close the block that begins in line %u", begin.line),
        "\"}\" is missing before %s", sp_lang_found(r));
  }
}
