/* message.c: read cli_report_error; the rest serves it. */
#include "cli/message.h"

#include "cli/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { EXCERPT_COLUMNS = 76 }; /* of a source line, around the caret */

/* The length of the UTF-8 sequence at s, or 0 when it is none. */
static size_t utf8_length(const unsigned char *s) {
  size_t n = s[0] < 0x80                    ? 1
             : s[0] >= 0xc2 && s[0] < 0xe0  ? 2
             : s[0] >= 0xe0 && s[0] < 0xf0  ? 3
             : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                            : 0;
  for (size_t i = 1; i < n; i++) {
    if ((s[i] & 0xc0) != 0x80) {
      return 0;
    }
  }
  /* overlong forms, surrogates, beyond the last code point */
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
      (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) {
    return 0;
  }
  return n;
}

/* Also C1 controls (U+0080 to U+009F), which some terminals obey. */
static bool is_control(const unsigned char *s, size_t n) {
  return (n == 1 && (s[0] < 0x20 || s[0] == 0x7f)) ||
         (n == 2 && s[0] == 0xc2 && s[1] < 0xa0);
}

/* text has room for its own length; cleaning never makes it longer. */
static void clean_in_place(char *text) {
  unsigned char *in = (unsigned char *)text;
  unsigned char *out = in;
  while (*in) {
    size_t n = utf8_length(in);
    if (n == 0 || is_control(in, n)) {
      *out++ = *in == '\t' || *in == '\n' ? ' ' : '?';
      in += n ? n : 1;
      continue;
    }
    memmove(out, in, n);
    out += n;
    in += n;
  }
  *out = '\0';
}

const char *cli_clean(sp_ctx *ctx, const char *text) {
  char *copy = sp_strdup(ctx, text);
  clean_in_place(copy);
  return copy;
}

static void print_hint(const char *hint) {
  if (hint && *hint) {
    fprintf(stderr, "hint: %s\n", hint);
  }
}

void cli_usage_error(const char *hint, const char *fmt, ...) {
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  clean_in_place(text);
  fprintf(stderr, "shardproof: error: %s\n", text);
  print_hint(hint);
}

/* Skip to the start of a line; false when the file ends before it. */
static bool seek_line(FILE *f, uint32_t line) {
  for (uint32_t at = 1; at < line;) {
    int c = getc(f);
    if (c == EOF) {
      return false;
    }
    at += c == '\n';
  }
  return true;
}

/* Print a window of the line around the column, and a caret below. Lines of a
 * dump may be megabytes long, so only the window is read into memory. */
static void print_excerpt(const sp_loc *loc) {
  FILE *f = loc->file ? fopen(loc->file, "r") : NULL;
  if (!f) {
    return;
  }
  uint32_t column = loc->column ? loc->column : 1;
  uint32_t skip =
      column > EXCERPT_COLUMNS / 2 ? column - EXCERPT_COLUMNS / 2 : 0;
  char text[EXCERPT_COLUMNS + 1];
  size_t n = 0;
  bool ok = seek_line(f, loc->line);
  int c = 0;
  for (uint32_t i = 0; ok && i < skip; i++) {
    c = getc(f);
    ok = c != EOF && c != '\n';
  }
  while (ok && n < EXCERPT_COLUMNS) {
    c = getc(f);
    if (c == EOF || c == '\n') {
      break;
    }
    /* one column a byte, so that the caret stands right */
    text[n++] = c >= 0x20 && c < 0x7f ? (char)c : c == '\t' ? ' ' : '?';
  }
  fclose(f);
  text[n] = '\0';
  if (n == 0) {
    return;
  }
  fprintf(stderr, "  %s\n", text);
  if (loc->column && column - 1 - skip <= n) {
    fprintf(stderr, "  %*s^\n", (int)(column - 1 - skip), "");
  }
}

void cli_report_error(const sp_error *error) {
  char message[sizeof error->message], hint[sizeof error->hint];
  memcpy(message, error->message, sizeof message);
  memcpy(hint, error->hint, sizeof hint);
  clean_in_place(message);
  clean_in_place(hint);
  const sp_loc *loc = &error->loc;
  fprintf(stderr, "shardproof: error: ");
  if (loc->file) {
    fprintf(stderr, "%s:", loc->file);
    if (loc->line) {
      fprintf(stderr, "%u:", (unsigned)loc->line);
      if (loc->column) {
        fprintf(stderr, "%u:", (unsigned)loc->column);
      }
    }
    if (loc->has_byte) {
      fprintf(stderr, " byte %llu:", (unsigned long long)loc->byte);
    }
    fprintf(stderr, " ");
  }
  fprintf(stderr, "%s\n", message);
  if (loc->file && loc->line) {
    print_excerpt(loc);
  }
  print_hint(hint);
}

int cli_exit_code(sp_code code) {
  switch (code) {
  case SP_OK:
    return CLI_REFINES;
  case SP_ERR_USAGE:
    return CLI_USAGE;
  case SP_ERR_INPUT:
  case SP_ERR_LIMIT:
  case SP_ERR_MEMORY:
    return CLI_INPUT;
  case SP_ERR_UNKNOWN:
  case SP_ERR_INTERNAL:
    break;
  }
  return CLI_UNPROVEN;
}
