/* support_fx.c: reading, then programs as text, then the large set. */
#include "tests/support_fx.h"

#include "base/vec.h"

#include <CUnit/CUnit.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
  const char *text;
  size_t n;
  const sp_program *program;
} job;

static void job_run(sp_ctx *ctx, void *arg) {
  job *j = arg;
  j->program = sp_fx_read_text(ctx, "t.py", j->text, j->n);
}

const sp_program *fx_read(sp_ctx *ctx, const char *text) {
  job j = {text, strlen(text), NULL};
  if (sp_protect(ctx, job_run, &j) != SP_OK) {
    const sp_error *e = sp_ctx_error(ctx);
    printf("\n%u:%u: %s\n", e->loc.line, e->loc.column, e->message);
    return NULL;
  }
  return j.program;
}

static char *body_text(const char *inputs, const char *body) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  sp_str s = {0};
  sp_str_addf(ctx, &s,
              "class f(torch.nn.Module):\n    def forward(self%s%s):\n",
              *inputs ? ", " : "", inputs);
  while (*body) {
    const char *nl = strchr(body, '\n');
    size_t n = nl ? (size_t)(nl + 1 - body) : strlen(body);
    sp_str_add(ctx, &s, "        ");
    sp_str_addn(ctx, &s, body, n);
    body += n;
  }
  char *copy = malloc(s.n + 1);
  memcpy(copy, s.v, s.n + 1);
  sp_ctx_free(ctx);
  return copy;
}

const sp_program *fx_read_body(sp_ctx *ctx, const char *inputs,
                               const char *body) {
  char *text = body_text(inputs, body);
  const sp_program *p = fx_read(ctx, text);
  free(text);
  return p;
}

/* --- programs as text --- */

static void ints_add(sp_ctx *ctx, sp_str *s, const sp_attr *a) {
  sp_str_add(ctx, s, "[");
  for (size_t i = 0; i < a->n; i++) {
    sp_str_addf(ctx, s, "%s%lld", i ? "," : "", (long long)a->u.ints[i]);
  }
  sp_str_add(ctx, s, "]");
}

static void groups_add(sp_ctx *ctx, sp_str *s, const sp_groups *g) {
  for (uint32_t i = 0; i < g->n_groups; i++) {
    sp_str_add(ctx, s, "{");
    for (uint32_t k = g->start[i]; k < g->start[i + 1]; k++) {
      sp_str_addf(ctx, s, "%s%lld", k > g->start[i] ? "," : "",
                  (long long)g->ids[k]);
    }
    sp_str_add(ctx, s, "}");
  }
}

const char *fx_attr_text(sp_ctx *ctx, const sp_attr *a) {
  sp_str s = {0};
  sp_str_addf(ctx, &s, "%s=", a->name);
  switch (a->kind) {
  case SP_ATTR_INT:
    sp_str_addf(ctx, &s, "%lld", (long long)a->u.i);
    break;
  case SP_ATTR_FLOAT:
    sp_str_addf(ctx, &s, "%gf", a->u.f);
    break;
  case SP_ATTR_TEXT:
    sp_str_addf(ctx, &s, "'%s'", a->u.text);
    break;
  case SP_ATTR_OPERAND:
    sp_str_addf(ctx, &s, "%%%lld", (long long)a->u.i);
    break;
  case SP_ATTR_OPERANDS:
    sp_str_add(ctx, &s, "%");
    ints_add(ctx, &s, a);
    break;
  case SP_ATTR_INTS:
    ints_add(ctx, &s, a);
    break;
  case SP_ATTR_RANKED_INT:
  case SP_ATTR_RANKED_INTS:
    sp_str_add(ctx, &s, "ranked");
    ints_add(ctx, &s, a);
    break;
  case SP_ATTR_RANKED_FLOAT:
    sp_str_add(ctx, &s, "ranked");
    for (size_t i = 0; i < a->n; i++) {
      sp_str_addf(ctx, &s, " %gf", a->u.floats[i]);
    }
    break;
  case SP_ATTR_GROUPS:
    groups_add(ctx, &s, a->u.groups);
    break;
  case SP_ATTR_WINDOW:
  case SP_ATTR_LITERAL:
  case SP_ATTR_REGION:
  case SP_ATTR_MEANING:
    sp_str_add(ctx, &s, "?");
    break;
  }
  return s.v;
}

static bool obvious(const sp_attr *a, uint32_t position) {
  char name[16];
  snprintf(name, sizeof name, "arg%u", position);
  return a->kind == SP_ATTR_OPERAND && a->u.i == position &&
         strcmp(a->name, name) == 0;
}

static void node_add(sp_ctx *ctx, sp_str *s, const sp_program *p,
                     const sp_node *n) {
  for (uint32_t i = 0; i < n->n_out; i++) {
    const sp_tensor *t = &p->tensors[n->out + i];
    sp_str_addf(ctx, s, "%s%s:%s", i ? ", " : "", t->name,
                t->shape.dtype == SP_DTYPE_INVALID
                    ? "?"
                    : sp_shape_text(ctx, &t->shape));
  }
  sp_str_addf(ctx, s, " %s(", n->op);
  for (uint32_t i = 0; i < n->n_in; i++) {
    sp_str_addf(ctx, s, "%s%s", i ? ", " : "", p->tensors[n->in[i]].name);
  }
  sp_str_add(ctx, s, ")");
  for (uint32_t i = 0; i < n->n_attrs; i++) {
    if (!obvious(&n->attrs[i], i)) {
      sp_str_addf(ctx, s, " %s", fx_attr_text(ctx, &n->attrs[i]));
    }
  }
  sp_str_add(ctx, s, "\n");
}

const char *fx_text(sp_ctx *ctx, const sp_program *p) {
  sp_str s = {0};
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    if (strcmp(p->nodes[i].op, "fx:placeholder") != 0) {
      node_add(ctx, &s, p, &p->nodes[i]);
    }
  }
  sp_str_add(ctx, &s, "return");
  for (uint32_t i = 0; i < p->n_results; i++) {
    uint32_t t = p->results[i];
    sp_str_addf(ctx, &s, " %s", t == SP_NO_TENSOR ? "-" : p->tensors[t].name);
  }
  return s.v;
}

/* --- expectations --- */

void fx_expect(const char *inputs, const char *body, const char *want) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  const sp_program *p = fx_read_body(ctx, inputs, body);
  const char *got = p ? fx_text(ctx, p) : "an error";
  CU_ASSERT_STRING_EQUAL(got, want);
  if (strcmp(got, want) != 0) {
    printf("\n--- got\n%s\n--- want\n%s\n", got, want);
  }
  sp_ctx_free(ctx);
}

void fx_expect_text_error(const char *text, size_t n, sp_code code,
                          uint32_t line, uint32_t column, const char *message) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  job j = {text, n, NULL};
  sp_code got = sp_protect(ctx, job_run, &j);
  CU_ASSERT_EQUAL(got, code);
  if (got == SP_OK) {
    printf("\nno error, and wanted: %s\n", message);
    sp_ctx_free(ctx);
    return;
  }
  const sp_error *e = sp_ctx_error(ctx);
  CU_ASSERT(e->loc.file && strcmp(e->loc.file, "t.py") == 0);
  if ((line && e->loc.line != line) || (column && e->loc.column != column) ||
      !strstr(e->message, message)) {
    printf("\nwant %u:%u: %s\ngot  %u:%u: %s\n", line, column, message,
           e->loc.line, e->loc.column, e->message);
    CU_FAIL("another error");
  }
  sp_ctx_free(ctx);
}

void fx_expect_error(const char *inputs, const char *body, sp_code code,
                     uint32_t line, uint32_t column, const char *message) {
  char *text = body_text(inputs, body);
  fx_expect_text_error(text, strlen(text), code, line, column, message);
  free(text);
}

/* --- the large set --- */

static void *grown(void *v, size_t n) {
  void *p = realloc(v, n);
  if (!p) {
    fprintf(stderr, "the test is out of memory\n");
    exit(EXIT_FAILURE);
  }
  return p;
}

/* Cases are folders, and "dist" and "seq" in these. */
static void find_in(fx_files *f, const char *dir, const char *begin,
                    const char *end, int levels) {
  DIR *d = opendir(dir);
  for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
    size_t n = strlen(e->d_name), m = strlen(end), b = strlen(begin);
    if (e->d_name[0] == '.') {
      continue;
    }
    char *path = grown(NULL, strlen(dir) + n + 2);
    sprintf(path, "%s/%s", dir, e->d_name);
    if (levels > 0) {
      find_in(f, path, begin, end, levels - 1);
    }
    if (n > m && n > b && strcmp(e->d_name + n - m, end) == 0 &&
        strncmp(e->d_name, begin, b) == 0) {
      f->paths = grown(f->paths, (f->n + 1) * sizeof *f->paths);
      f->paths[f->n++] = path;
    } else {
      free(path);
    }
  }
  if (d) {
    closedir(d);
  }
}

static int by_name(const void *a, const void *b) {
  const char *const *x = a;
  const char *const *y = b;
  return strcmp(*x, *y);
}

fx_files fx_files_find(const char *set, const char *begin, const char *end) {
  fx_files f = {0};
  const char *cases = getenv("SHARDPROOF_CASES");
  if (cases && *cases) {
    char *dir = grown(NULL, strlen(cases) + strlen(set) + 2);
    sprintf(dir, "%s/%s", cases, set);
    find_in(&f, dir, begin, end, 2);
    free(dir);
  }
  if (!f.n) {
    printf("(no %s*%s in %s under SHARDPROOF_CASES: nothing to check) ", begin,
           end, set);
    return f;
  }
  qsort(f.paths, f.n, sizeof *f.paths, by_name);
  return f;
}

void fx_files_free(fx_files *f) {
  for (size_t i = 0; i < f->n; i++) {
    free(f->paths[i]);
  }
  free(f->paths);
  *f = (fx_files){0};
}
