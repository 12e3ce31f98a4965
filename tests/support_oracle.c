/* support_oracle.c: the evaluator of programs, then the reader of the file. */
#include "tests/support_oracle.h"

#include "tests/suites.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- evaluating a program's results ---- */

static sp_expr read_operand(void *env, const sp_call *call, uint32_t operand,
                            sp_expr rank, const sp_expr *idx) {
  return oracle_element(env, call->node->in[operand], rank, idx);
}

sp_expr oracle_element(oracle_world *w, uint32_t tensor, sp_expr rank,
                       const sp_expr *idx) {
  const sp_program *g = w->program;
  const sp_tensor *t = &g->tensors[tensor];
  for (uint32_t k = 0; k < g->n_params; k++) {
    if (g->params[k] == tensor) {
      sp_expr at[SP_MAX_DIMS + 1];
      at[0] = rank;
      memcpy(at + 1, idx, t->shape.n_dims * sizeof *idx);
      return sp_read(w->pool, w->syms[k], at);
    }
  }
  sp_call call = {.pool = w->pool,
                  .program = g,
                  .node = &g->nodes[t->node],
                  .result = t->result,
                  .rank = rank,
                  .partitions = g->partitions,
                  .read = read_operand,
                  .env = w};
  return sp_op_element(&call, idx);
}

static int64_t value_of_var(void *user, sp_expr v) {
  const oracle_world *w = user;
  for (uint32_t i = 0; i < w->n_vars; i++) {
    if (w->vars[i].v == v.v) {
      return w->values[i];
    }
  }
  return 0;
}

static sp_value value_of_read(void *user, sp_sym s, uint32_t n,
                              const int64_t *idx) {
  const oracle_world *w = user;
  uint32_t k = 0;
  while (w->syms[k].v != s.v) {
    k++;
  }
  const int64_t *extents = sp_sym_extents(w->pool, s);
  int64_t at = 0;
  sp_value v = {.sort = sp_sym_sort(w->pool, s)};
  for (uint32_t i = 0; i < n; i++) {
    if (idx[i] < 0 || idx[i] >= extents[i]) {
      return v; /* under a condition that does not hold */
    }
    at = i == 0 ? 0 : at * extents[i] + idx[i];
  }
  double x = w->c->in[k][idx[0]].v[at];
  v.i = v.sort == SP_SORT_INT ? (int64_t)x : 0;
  v.r = x;
  v.b = x != 0;
  return v;
}

static bool close_enough(double got, double want) {
  if (isnan(got) || isnan(want)) {
    return isnan(got) && isnan(want);
  }
  if (isinf(got) || isinf(want)) {
    return got == want;
  }
  return fabs(got - want) <= 1e-5 + 2e-5 * fabs(want);
}

static bool trace(void) {
  return getenv("SHARDPROOF_OPS_CASE") != NULL;
}

static void fail_case(const oracle_case *c, const char *mode,
                      const char *what) {
  printf("\n    %s (%s): %s\n", c->name, mode, what);
  CU_FAIL("see the line above");
}

/* Compare one element; false after the first that is wrong. */
static bool check_point(oracle_world *w, sp_expr e, double want,
                        const char *mode, uint32_t result, int64_t rank,
                        int64_t at) {
  sp_eval_env env = {.user = w,
                     .var = value_of_var,
                     .read = value_of_read,
                     .fn = sp_op_function,
                     .budget = 2000000};
  sp_value v;
  char text[400];
  if (!sp_eval(w->pool, e, &env, &v)) {
    snprintf(text, sizeof text, "cannot be evaluated: %.300s",
             sp_show(w->pool, e));
    fail_case(w->c, mode, text);
    return false;
  }
  double got = v.sort == SP_SORT_REAL  ? v.r
               : v.sort == SP_SORT_INT ? (double)v.i
                                       : (double)v.b;
  bool same = v.sort == SP_SORT_REAL ? close_enough(got, want) : got == want;
  if (!same) {
    snprintf(text, sizeof text,
             "result %u, rank %lld, element %lld: %.9g, the oracle has %.9g: "
             "%.200s",
             result, (long long)rank, (long long)at, got, want,
             sp_show(w->pool, e));
    fail_case(w->c, mode, text);
  }
  return same;
}

static void digits(int64_t at, const sp_shape *s, int64_t *out) {
  for (uint32_t d = s->n_dims; d-- > 0;) {
    out[d] = at % s->dims[d];
    at /= s->dims[d];
  }
}

static void check_symbolic(oracle_world *w, uint32_t result, const char *mode) {
  const sp_program *g = w->program;
  const sp_shape *s = &g->tensors[g->results[result]].shape;
  int64_t n = sp_shape_elements(s);
  if (n == 0) {
    return;
  }
  sp_expr idx[SP_MAX_DIMS + 1] = {{0}};
  sp_expr rank = sp_var(w->pool, SP_VAR_RANK, "r", g->partitions);
  w->n_vars = 0;
  w->vars[w->n_vars++] = rank;
  for (uint32_t d = 0; d < s->n_dims; d++) {
    idx[d] = sp_var(w->pool, SP_VAR_INDEX, "i", s->dims[d]);
    w->vars[w->n_vars++] = idx[d];
  }
  sp_expr e = oracle_element(w, g->results[result], rank, idx);
  if (trace()) {
    printf("    %s %u: %s\n", mode, result, sp_show(w->pool, e));
  }
  bool ok = true;
  for (int64_t r = 0; r < g->partitions && ok; r++) {
    w->values[0] = r;
    for (int64_t at = 0; at < n && ok; at++) {
      digits(at, s, w->values + 1);
      ok = check_point(w, e, w->c->out[result][r].v[at], mode, result, r, at);
    }
  }
}

static void check_constant(oracle_world *w, uint32_t result) {
  const sp_program *g = w->program;
  const sp_shape *s = &g->tensors[g->results[result]].shape;
  int64_t n = sp_shape_elements(s), where[SP_MAX_DIMS];
  bool ok = true;
  w->n_vars = 0;
  for (int64_t r = 0; r < g->partitions && ok; r++) {
    for (int64_t at = 0; at < n && ok; at += n > 12 ? 3 : 1) {
      sp_expr idx[SP_MAX_DIMS + 1] = {{0}};
      digits(at, s, where);
      for (uint32_t d = 0; d < s->n_dims; d++) {
        idx[d] = sp_int(w->pool, where[d]);
      }
      sp_expr e =
          oracle_element(w, g->results[result], sp_int(w->pool, r), idx);
      ok = check_point(w, e, w->c->out[result][r].v[at], "constant", result, r,
                       at);
    }
  }
}

void oracle_symbols(oracle_world *w) {
  const sp_program *g = w->program;
  sp_ctx *ctx = sp_pool_ctx(w->pool);
  w->syms = sp_alloc_n(ctx, g->n_params + 1u, sizeof *w->syms);
  for (uint32_t k = 0; k < g->n_params; k++) {
    const sp_shape *s = &g->tensors[g->params[k]].shape;
    int64_t extents[SP_MAX_DIMS + 1];
    extents[0] = g->partitions;
    memcpy(extents + 1, s->dims, s->n_dims * sizeof *extents);
    w->syms[k] = sp_sym_new(w->pool, sp_format(ctx, "p%u", k),
                            sp_dtype_sort(s->dtype), s->n_dims + 1, extents);
    int bits = sp_dtype_bits(s->dtype);
    if (sp_dtype_is_int(s->dtype) && bits < 64) {
      bool u = sp_dtype_is_unsigned(s->dtype);
      int64_t half = (int64_t)1 << (bits - 1);
      sp_sym_set_range(w->pool, w->syms[k], u ? 0 : -half,
                       u ? 2 * half - 1 : half - 1);
    }
  }
}

static bool is_input(const sp_node *node) {
  return strcmp(node->op, "hlo:parameter") == 0 ||
         strcmp(node->op, "fx:placeholder") == 0;
}

typedef struct job {
  const oracle_case *c;
  oracle_reader read;
} job;

static void run_case(sp_ctx *ctx, void *arg) {
  const job *j = arg;
  oracle_world w = {.c = j->c, .pool = sp_pool_new(ctx)};
  w.program = j->read(ctx, j->c);
  const sp_program *g = w.program;
  for (uint32_t i = 0; i < g->n_nodes; i++) {
    if (!is_input(&g->nodes[i])) {
      sp_op_check(ctx, g, &g->nodes[i]);
    }
  }
  oracle_symbols(&w);
  for (uint32_t k = 0; k < g->n_results; k++) {
    check_symbolic(&w, k, "simplified");
    check_constant(&w, k);
  }
  sp_pool_mode(w.pool, SP_MODE_RAW_INDEX);
  for (uint32_t k = 0; k < g->n_results; k++) {
    check_symbolic(&w, k, "raw index");
  }
  sp_pool_mode(w.pool, SP_MODE_RAW);
  for (uint32_t k = 0; k < g->n_results; k++) {
    check_symbolic(&w, k, "raw");
  }
}

/* ---- reading the file ---- */

static oracle_numbers parse_numbers(const char *s) {
  oracle_numbers r = {0, NULL};
  size_t cap = strlen(s) / 2 + 2;
  r.v = calloc(cap, sizeof *r.v);
  char *end;
  for (double x = strtod(s, &end); end != s; x = strtod(s, &end)) {
    r.v[r.n++] = x;
    s = end;
  }
  return r;
}

static void case_clear(oracle_case *c) {
  for (int k = 0; k < ORACLE_PARAMS; k++) {
    for (int r = 0; r < ORACLE_RANKS; r++) {
      free(c->in[k][r].v);
      free(c->out[k][r].v);
    }
  }
  free(c->text);
  memset(c, 0, sizeof *c);
}

static void case_line(oracle_case *c, const char *line) {
  int k, r, skip = 0;
  size_t n = strlen(line);
  if (strncmp(line, "| ", 2) == 0) {
    c->text = realloc(c->text, c->text_n + n);
    memcpy(c->text + c->text_n, line + 2, n - 1); /* with the final 0 */
    c->text_n += n - 2;
  } else if (sscanf(line, "in %d %d %n", &k, &r, &skip) == 2) {
    c->in[k][r] = parse_numbers(line + skip);
  } else if (sscanf(line, "out %d %d %n", &k, &r, &skip) == 2) {
    c->out[k][r] = parse_numbers(line + skip);
  }
}

static void case_run(oracle_case *c, oracle_reader read) {
  const char *only = getenv("SHARDPROOF_OPS_CASE");
  if (!c->text || (only && strcmp(only, c->name) != 0)) {
    return;
  }
  sp_ctx *ctx = sp_ctx_new(NULL);
  job j = {c, read};
  if (sp_protect(ctx, run_case, &j) != SP_OK) {
    fail_case(c, "error", sp_ctx_error(ctx)->message);
  }
  sp_ctx_free(ctx);
}

size_t oracle_run(const char *file, const char *variable, oracle_reader read) {
  const char *other = getenv(variable);
  char path[4096];
  snprintf(path, sizeof path, "%s/tests/oracle/%s", test_source(), file);
  if (other) {
    snprintf(path, sizeof path, "%s", other);
  }
  FILE *f = fopen(path, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(f);
  oracle_case *c = calloc(1, sizeof *c);
  char *line = malloc(1 << 16);
  size_t cases = 0;
  while (fgets(line, 1 << 16, f)) {
    if (strncmp(line, "case ", 5) == 0) {
      case_run(c, read);
      case_clear(c);
      long long devices;
      sscanf(line, "case %79s %lld", c->name, &devices);
      c->devices = devices;
      cases++;
    } else {
      case_line(c, line);
    }
  }
  case_run(c, read);
  case_clear(c);
  free(c);
  free(line);
  fclose(f);
  return cases;
}
