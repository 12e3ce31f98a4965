/* support_hlo.c: reading, then looking at programs, then expected errors. */
#include "tests/support_hlo.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

void hlo_job_run(sp_ctx *ctx, void *arg) {
  hlo_job *j = arg;
  j->program = sp_hlo_read_text(ctx, "t.hlo", j->text, j->n);
}

const sp_program *hlo_read(sp_ctx *ctx, const char *text) {
  hlo_job j = {text, strlen(text), NULL};
  if (sp_protect(ctx, hlo_job_run, &j) != SP_OK) {
    const sp_error *e = sp_ctx_error(ctx);
    printf("\n%u:%u: %s\n", e->loc.line, e->loc.column, e->message);
    return NULL;
  }
  return j.program;
}

const sp_program *hlo_read_body(sp_ctx *ctx, const char *body) {
  char text[4096];
  snprintf(text, sizeof text, "HloModule m\nENTRY e {\n%s}\n", body);
  return hlo_read(ctx, text);
}

typedef struct pair {
  const char *before, *after;
  sp_verdict verdict;
} pair;

static void pair_run(sp_ctx *ctx, void *arg) {
  pair *x = arg;
  const sp_program *before = hlo_read(ctx, x->before);
  const sp_program *after = hlo_read(ctx, x->after);
  sp_problem problem = sp_problem_identity(ctx, before, after, NULL);
  sp_check_options options = {0};
  x->verdict = sp_check_problem(ctx, &problem, &options)->verdict;
}

sp_verdict hlo_identity(const char *before, const char *after) {
  pair x = {.before = before, .after = after, .verdict = SP_UNPROVEN};
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL(sp_protect(ctx, pair_run, &x), SP_OK);
  sp_ctx_free(ctx);
  return x.verdict;
}

const sp_node *hlo_node(const sp_program *p, const char *name) {
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    if (strcmp(p->nodes[i].name, name) == 0) {
      return &p->nodes[i];
    }
  }
  return NULL;
}

const sp_attr *hlo_attr(const sp_program *p, const char *node,
                        const char *name) {
  const sp_node *n = hlo_node(p, node);
  return n ? sp_node_attr(n, name) : NULL;
}

bool hlo_ints_are(const sp_attr *a, size_t n, const int64_t *want) {
  return a && a->kind == SP_ATTR_INTS && a->n == n &&
         (n == 0 || memcmp(a->u.ints, want, n * sizeof *want) == 0);
}

void hlo_expect_nodes(const sp_program *p, const char *want) {
  char got[2048] = "";
  size_t n = 0;
  for (uint32_t i = 0; i < p->n_nodes && n < sizeof got; i++) {
    const sp_node *node = &p->nodes[i];
    if (strcmp(node->op, "hlo:parameter") == 0) {
      continue;
    }
    n += (size_t)snprintf(got + n, sizeof got - n, "%s%s(", n ? " " : "",
                          node->op + 4);
    for (uint32_t k = 0; k < node->n_in && n < sizeof got; k++) {
      n += (size_t)snprintf(got + n, sizeof got - n, "%s%s", k ? "," : "",
                            p->tensors[node->in[k]].name);
    }
    n += n < sizeof got ? (size_t)snprintf(got + n, sizeof got - n, ")") : 0;
  }
  CU_ASSERT_STRING_EQUAL(got, want);
  if (strcmp(got, want) != 0) {
    printf("\ngot  %s\nwant %s\n", got, want);
  }
}

void hlo_expect_error(const char *text, size_t n, uint32_t line,
                      uint32_t column, const char *message) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  hlo_job j = {text, n, NULL};
  CU_ASSERT_EQUAL(sp_protect(ctx, hlo_job_run, &j), SP_ERR_INPUT);
  const sp_error *e = sp_ctx_error(ctx);
  CU_ASSERT_STRING_EQUAL(e->loc.file, "t.hlo");
  if (e->loc.line != line || (column && e->loc.column != column) ||
      !strstr(e->message, message)) {
    printf("\nwant %u:%u: %s\ngot  %u:%u: %s\n", line, column, message,
           e->loc.line, e->loc.column, e->message);
    CU_FAIL("another error");
  }
  sp_ctx_free(ctx);
}

void hlo_expect_body_error(const char *body, uint32_t line, uint32_t column,
                           const char *message) {
  char text[2048];
  snprintf(text, sizeof text, "HloModule m\nENTRY e {\n%s\n}\n", body);
  hlo_expect_error(text, strlen(text), line, column, message);
}
