/* names.c: names, patterns. */
#include "shard-specs/names.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_STARS = 8 };

/* ---- names ---- */

typedef struct named {
  const char *name;
  uint32_t tensor;
} named;

static int by_name(const void *a, const void *b) {
  const named *x = a, *y = b;
  int c = strcmp(x->name, y->name);
  return c ? c : (x->tensor > y->tensor) - (x->tensor < y->tensor);
}

sp_names sp_names_of(sp_ctx *ctx, const sp_program *p) {
  named *all = sp_alloc_n(ctx, p->n_tensors + 1u, sizeof *all);
  for (uint32_t i = 0; i < p->n_tensors; i++) {
    all[i] = (named){p->tensors[i].name, i};
  }
  qsort(all, p->n_tensors, sizeof *all, by_name);
  uint32_t *sorted = sp_alloc_n(ctx, p->n_tensors + 1u, sizeof *sorted);
  for (uint32_t i = 0; i < p->n_tensors; i++) {
    sorted[i] = all[i].tensor;
  }
  return (sp_names){p, sorted};
}

int64_t sp_names_number(const char *name, const char *prefix) {
  size_t n = strlen(prefix);
  const char *s = name + n;
  if (strncmp(name, prefix, n) != 0 || !*s || strlen(s) > 9 ||
      strspn(s, "0123456789") != strlen(s)) {
    return -1;
  }
  return strtoll(s, NULL, 10);
}

static uint32_t find_name(const sp_names *x, const char *name) {
  uint32_t lo = 0, hi = x->program->n_tensors;
  while (lo < hi) {
    uint32_t mid = lo + (hi - lo) / 2;
    int c = strcmp(name, x->program->tensors[x->sorted[mid]].name);
    if (c == 0) {
      return x->sorted[mid];
    }
    if (c < 0) {
      hi = mid;
    } else {
      lo = mid + 1;
    }
  }
  return SP_NO_TENSOR;
}

uint32_t sp_names_find(const sp_names *x, const char *name) {
  const sp_program *p = x->program;
  uint32_t t = find_name(x, name);
  if (t == SP_NO_TENSOR && name[0] == '%') {
    t = find_name(x, name + 1);
  }
  int64_t in = sp_names_number(name, "in.");
  int64_t out = sp_names_number(name, "out.");
  if (t == SP_NO_TENSOR && in >= 0 && in < p->n_params) {
    t = p->params[in];
  }
  if (t == SP_NO_TENSOR && out >= 0 && out < p->n_results) {
    t = p->results[out];
  }
  return t;
}

/* Edit distance, cut off; names are short. */
static size_t distance(const char *a, const char *b) {
  enum { MAX = 64 };
  size_t n = strlen(a), m = strlen(b), row[MAX + 1];
  if (n > MAX || m > MAX) {
    return MAX;
  }
  for (size_t j = 0; j <= m; j++) {
    row[j] = j;
  }
  for (size_t i = 1; i <= n; i++) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t j = 1; j <= m; j++) {
      size_t up = row[j], best = corner + (a[i - 1] != b[j - 1]);
      best = up + 1 < best ? up + 1 : best;
      best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
      corner = up;
      row[j] = best;
    }
  }
  return row[m];
}

const char *sp_names_nearest(const sp_names *x, const char *name) {
  const char *best = NULL;
  size_t least = strlen(name) / 2 + 1;
  for (uint32_t i = 0; i < x->program->n_tensors; i++) {
    const char *other = x->program->tensors[i].name;
    size_t d = distance(name, other);
    if (d < least) {
      least = d;
      best = other;
    }
  }
  return best;
}

/* ---- patterns ---- */

bool sp_pattern_is(const char *name) {
  return strchr(name, '*') != NULL;
}

typedef struct match {
  uint32_t n;
  struct {
    const char *at;
    size_t n;
  } star[MAX_STARS];
} match;

/* Each star takes as little as it can; on a mismatch the last one takes one
 * more: enough to find a match when there is one. */
static bool matches(const char *p, const char *s, match *m) {
  const char *retry = NULL, *from = NULL;
  uint32_t n = 0, last = 0;
  while (*s || *p) {
    if (*p == '*') {
      if (n >= MAX_STARS) {
        return false;
      }
      last = n++;
      m->star[last].at = s;
      m->star[last].n = 0;
      retry = ++p;
      from = s;
    } else if (*s && *p == *s) {
      p++;
      s++;
    } else if (retry && *from) {
      from++;
      m->star[last].n++;
      n = last + 1;
      p = retry;
      s = from;
    } else {
      return false;
    }
  }
  m->n = n;
  return true;
}

bool sp_pattern_matches(const char *pattern, const char *name) {
  match m;
  return matches(pattern, name, &m);
}

const char *sp_pattern_fill(sp_ctx *ctx, const char *pattern, const char *name,
                            const char *to) {
  match m;
  sp_str out = {0};
  uint32_t k = 0;
  if (!matches(pattern, name, &m)) {
    return to;
  }
  for (; *to; to++) {
    if (*to == '*' && k < m.n) {
      sp_str_addn(ctx, &out, m.star[k].at, m.star[k].n);
      k++;
    } else {
      sp_str_addn(ctx, &out, to, 1);
    }
  }
  return out.v ? out.v : "";
}
