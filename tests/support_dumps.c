#include "tests/support_dumps.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *grown(void *v, size_t n, size_t size) {
  void *p = realloc(v, n * size);
  if (!p) {
    fprintf(stderr, "the test is out of memory\n");
    exit(EXIT_FAILURE);
  }
  return p;
}

static char *joined(const char *dir, const char *name) {
  size_t a = strlen(dir), b = strlen(name);
  char *path = grown(NULL, a + b + 2, 1);
  memcpy(path, dir, a);
  path[a] = '/';
  memcpy(path + a + 1, name, b + 1);
  return path;
}

/* Case directories are at most two levels down (mutants/NAME). */
static void find_in(dump_list *l, const char *dir, const char *end,
                    int levels) {
  DIR *d = opendir(dir);
  if (!d) {
    return;
  }
  for (struct dirent *e = readdir(d); e; e = readdir(d)) {
    size_t n = strlen(e->d_name), m = strlen(end);
    if (e->d_name[0] == '.') {
      continue;
    }
    char *path = joined(dir, e->d_name);
    if (n > m && strcmp(e->d_name + n - m, end) == 0) {
      l->paths = grown(l->paths, l->n + 1, sizeof *l->paths);
      l->paths[l->n++] = path;
      continue;
    }
    if (levels > 0) {
      find_in(l, path, end, levels - 1);
    }
    free(path);
  }
  closedir(d);
}

static int by_name(const void *a, const void *b) {
  const char *const *x = a;
  const char *const *y = b;
  return strcmp(*x, *y);
}

dump_list dump_list_find_in(const char *folder, const char *end) {
  dump_list l = {0};
  const char *cases = getenv("SHARDPROOF_CASES");
  if (cases && *cases) {
    char *dir = joined(cases, folder);
    find_in(&l, dir, end, 2);
    free(dir);
  }
  if (!l.n) {
    printf("(no *%s under SHARDPROOF_CASES: nothing to check) ", end);
    return l;
  }
  qsort(l.paths, l.n, sizeof *l.paths, by_name);
  return l;
}

dump_list dump_list_find(const char *end) {
  return dump_list_find_in("xla", end);
}

void dump_list_free(dump_list *l) {
  for (size_t i = 0; i < l->n; i++) {
    free(l->paths[i]);
  }
  free(l->paths);
  *l = (dump_list){0};
}

uint8_t *file_bytes(const char *path, size_t *n) {
  FILE *f = fopen(path, "rb");
  if (!f) {
    return NULL;
  }
  uint8_t *v = NULL;
  size_t cap = 0;
  *n = 0;
  for (;;) {
    if (*n + 1 >= cap) {
      cap = cap ? cap * 2 : 1 << 16;
      v = grown(v, cap, 1);
    }
    size_t got = fread(v + *n, 1, cap - *n - 1, f);
    if (!got) {
      break;
    }
    *n += got;
  }
  fclose(f);
  v[*n] = 0;
  return v;
}

int long_mode(void) {
  const char *s = getenv("SHARDPROOF_LONG");
  return s && *s && strcmp(s, "0") != 0;
}
