/* lang_foreign.c: what people write who know another language, and what it is
 * called here: hints for errors, by the token at which reading stopped. Nothing
 * here decides what is accepted. */
#include "encode/lang.h"

#include <string.h>

typedef struct foreign {
  const char *sign, *hint;
} foreign;

const char *sp_lang_hint(const sp_lang_reader *r) {
  static const foreign rows[] = {
      {"=", "= defines, == compares"},
      {"==", "= defines, == compares"},
      {"?", "write if ... then ... else ..."},
      {"!", "write not"},
      {"*", "write x ^ 3 for a power; # begins a comment"},
      {"/", "write x div y to round down; # begins a comment"},
      {"[", "all indices stand in one pair of brackets: x[i, j]"},
      {":", "there are no slices: a read is one element, x[i]"},
      {".", "names have no dots; a number has digits on both sides of its dot"},
      {"..", "for s in 0..4 { ... } is the only range"},
  };
  if (r->token != SP_LANG_SIGN) {
    return NULL;
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(rows[i].sign, r->word) == 0) {
      return rows[i].hint;
    }
  }
  return NULL;
}

/* ---- characters that begin no token ---- */

static const char *ascii_hint(char c) {
  switch (c) {
  case '%':
    return "write x mod y";
  case '&':
    return "write and";
  case '|':
    return "write or";
  case '~':
    return "write not";
  default:
    return NULL;
  }
}

/* The code point that begins here, 0 where it is no UTF-8. */
static uint32_t code_point(const unsigned char *s, size_t n) {
  static const struct {
    unsigned char mask, lead;
    size_t length;
  } forms[] = {{0xe0, 0xc0, 2}, {0xf0, 0xe0, 3}, {0xf8, 0xf0, 4}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if ((s[0] & forms[i].mask) != forms[i].lead || forms[i].length > n) {
      continue;
    }
    uint32_t c = s[0] & (unsigned char)~forms[i].mask;
    for (size_t k = 1; k < forms[i].length; k++) {
      if ((s[k] & 0xc0) != 0x80) {
        return 0;
      }
      c = c << 6 | (s[k] & 0x3fu);
    }
    return c;
  }
  return 0;
}

static const char *unicode_hint(uint32_t c) {
  static const struct {
    uint32_t c;
    const char *hint;
  } rows[] = {
      {0x00a0, "a no-break space: write a plain one"},
      {0x00b7, "write x * y"},
      {0x22c5, "write x * y"},
      {0x00d7, "write x * y"},
      {0x2212, "write x - y"},
      {0x2013, "write x - y"},
      {0x2264, "write x <= y"},
      {0x2265, "write x >= y"},
      {0x2260, "write x != y"},
      {0x2211, "write sum(i < N) x[i]"},
      {0x220f, "write prod(i < N) x[i]"},
      {0x221e, "write inf"},
      {0x2227, "write x and y"},
      {0x2228, "write x or y"},
      {0x00ac, "write not x"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].c == c) {
      return rows[i].hint;
    }
  }
  return "outside of comments only ASCII is read";
}

noreturn void sp_lang_stray(const sp_lang_reader *r) {
  const char *at = r->text.text + r->at;
  size_t left = r->text.n - r->at;
  if (*at > ' ' && *at < 0x7f) {
    sp_lang_fail(r->ctx, r->loc, ascii_hint(*at), "an unexpected \"%c\"", *at);
  }
  uint32_t c = code_point((const unsigned char *)at, left);
  if (c == 0) {
    sp_lang_fail(r->ctx, r->loc, "outside of comments only ASCII is read",
                 "an unexpected byte 0x%02x", (unsigned)(unsigned char)*at);
  }
  sp_lang_fail(r->ctx, r->loc, unicode_hint(c),
               "an unexpected character U+%04X", c);
}
