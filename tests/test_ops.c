/* test_ops.c: the operator table against XLA.
 *
 * tests/oracle/ops.txt (made by gen_ops.py there) holds small HLO programs with
 * inputs and with the results of XLA's CPU backend. Each is read by our reader;
 * the element expression of every result is built by inlining the table's
 * definitions, and evaluated at every index of every rank: once over symbolic
 * indices and a symbolic rank (simplified), once in each raw mode, once at
 * constant indices. Other tests here are about the table itself, about
 * refusals, and about opaque operators, which have no values.
 *
 * SHARDPROOF_OPS_CASE=NAME runs one case and prints its terms; SHARDPROOF_OPS
 * is another file of cases.
 */
#include "encode/op.h"
#include "graph/hlo.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void suite_ops(void);

enum { MAX_PARAMS = 48, MAX_RANKS = 8, MAX_VARS = 16 };

typedef struct numbers {
  size_t n;
  double *v;
} numbers;

typedef struct one_case {
  char name[80];
  int64_t devices;
  char *text; /* the program */
  size_t text_n;
  numbers in[MAX_PARAMS][MAX_RANKS], out[MAX_PARAMS][MAX_RANKS];
} one_case;

/* ---- evaluating a program's results ---- */

typedef struct world {
  sp_pool *pool;
  const sp_program *program;
  const one_case *c;
  sp_sym *syms; /* by parameter */
  uint32_t n_vars;
  sp_expr vars[MAX_VARS];
  int64_t values[MAX_VARS];
} world;

static sp_expr element(world *w, uint32_t tensor, sp_expr rank,
                       const sp_expr *idx);

static sp_expr read_operand(void *env, const sp_call *call, uint32_t operand,
                            sp_expr rank, const sp_expr *idx) {
  return element(env, call->node->in[operand], rank, idx);
}

static sp_expr element(world *w, uint32_t tensor, sp_expr rank,
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
  const world *w = user;
  for (uint32_t i = 0; i < w->n_vars; i++) {
    if (w->vars[i].v == v.v) {
      return w->values[i];
    }
  }
  return 0;
}

static sp_value value_of_read(void *user, sp_sym s, uint32_t n,
                              const int64_t *idx) {
  const world *w = user;
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

static void fail_case(const one_case *c, const char *mode, const char *what) {
  printf("\n    %s (%s): %s\n", c->name, mode, what);
  CU_FAIL("see the line above");
}

/* Compare one element; false after the first that is wrong. */
static bool check_point(world *w, sp_expr e, double want, const char *mode,
                        uint32_t result, int64_t rank, int64_t at) {
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
             "result %u, rank %lld, element %lld: %.9g, XLA has %.9g: %.200s",
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

static void check_symbolic(world *w, uint32_t result, const char *mode) {
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
  sp_expr e = element(w, g->results[result], rank, idx);
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

static void check_constant(world *w, uint32_t result) {
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
      sp_expr e = element(w, g->results[result], sp_int(w->pool, r), idx);
      ok = check_point(w, e, w->c->out[result][r].v[at], "constant", result, r,
                       at);
    }
  }
}

static void make_symbols(world *w) {
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

static void run_case(sp_ctx *ctx, void *arg) {
  const one_case *c = arg;
  world w = {.c = c, .pool = sp_pool_new(ctx)};
  w.program = sp_hlo_read_text(ctx, "ops.txt", c->text, c->text_n);
  const sp_program *g = w.program;
  for (uint32_t i = 0; i < g->n_nodes; i++) {
    if (strcmp(g->nodes[i].op, "hlo:parameter") != 0) {
      sp_op_check(ctx, g, &g->nodes[i]);
    }
  }
  make_symbols(&w);
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

/* ---- reading ops.txt ---- */

static numbers parse_numbers(const char *s) {
  numbers r = {0, NULL};
  size_t cap = strlen(s) / 2 + 2;
  r.v = calloc(cap, sizeof *r.v);
  char *end;
  for (double x = strtod(s, &end); end != s; x = strtod(s, &end)) {
    r.v[r.n++] = x;
    s = end;
  }
  return r;
}

static void case_clear(one_case *c) {
  for (int k = 0; k < MAX_PARAMS; k++) {
    for (int r = 0; r < MAX_RANKS; r++) {
      free(c->in[k][r].v);
      free(c->out[k][r].v);
    }
  }
  free(c->text);
  memset(c, 0, sizeof *c);
}

static void case_line(one_case *c, const char *line) {
  int k, r, skip = 0;
  size_t n = strlen(line);
  if (strncmp(line, "| ", 2) == 0) {
    c->text = realloc(c->text, c->text_n + n);
    memcpy(c->text + c->text_n, line + 2, n - 2);
    c->text_n += n - 2;
  } else if (sscanf(line, "in %d %d %n", &k, &r, &skip) == 2) {
    c->in[k][r] = parse_numbers(line + skip);
  } else if (sscanf(line, "out %d %d %n", &k, &r, &skip) == 2) {
    c->out[k][r] = parse_numbers(line + skip);
  }
}

static void case_run(one_case *c) {
  const char *only = getenv("SHARDPROOF_OPS_CASE");
  if (!c->text || (only && strcmp(only, c->name) != 0)) {
    return;
  }
  sp_ctx *ctx = sp_ctx_new(NULL);
  if (sp_protect(ctx, run_case, c) != SP_OK) {
    fail_case(c, "error", sp_ctx_error(ctx)->message);
  }
  sp_ctx_free(ctx);
}

static void operators_agree_with_xla(void) {
  const char *root = getenv("SHARDPROOF_SOURCE");
  const char *other = getenv("SHARDPROOF_OPS");
  char path[4096];
  snprintf(path, sizeof path, "%s/tests/oracle/ops.txt", root ? root : ".");
  if (other) {
    snprintf(path, sizeof path, "%s", other);
  }
  FILE *f = fopen(path, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(f);
  static one_case c;
  char *line = malloc(1 << 16);
  size_t cases = 0;
  while (fgets(line, 1 << 16, f)) {
    if (strncmp(line, "case ", 5) == 0) {
      case_run(&c);
      case_clear(&c);
      long long devices;
      sscanf(line, "case %79s %lld", c.name, &devices);
      c.devices = devices;
      cases++;
    } else {
      case_line(&c, line);
    }
  }
  case_run(&c);
  case_clear(&c);
  free(line);
  fclose(f);
  CU_ASSERT(cases > 900);
}

/* ---- the table itself ---- */

static void every_row_has_all_fields(void) {
  uint32_t n;
  const sp_op *const *rows = sp_op_table(&n);
  CU_ASSERT(n > 90);
  for (uint32_t i = 0; i < n; i++) {
    const sp_op *op = rows[i];
    CU_ASSERT_PTR_NOT_NULL_FATAL(op->name);
    bool full = op->spellings && op->spellings[0] && op->shape && op->element &&
                op->meaning && op->meaning[0] &&
                op->min_operands <= op->max_operands;
    if (!full) {
      printf("\n    row %s lacks something\n", op->name);
    }
    CU_ASSERT(full);
    for (const sp_op_attr *a = op->attrs; a && a->name; a++) {
      CU_ASSERT(!(a->required && a->harmless));
    }
  }
}

static void no_spelling_occurs_twice(void) {
  uint32_t n;
  const sp_op *const *rows = sp_op_table(&n);
  for (uint32_t i = 0; i < n; i++) {
    for (const char *const *s = rows[i]->spellings; *s; s++) {
      CU_ASSERT_PTR_EQUAL(sp_op_find(*s), rows[i]);
    }
  }
  CU_ASSERT_PTR_NULL(sp_op_find("hlo:while"));
  CU_ASSERT_PTR_NULL(sp_op_find("hlo:rng"));
  CU_ASSERT_PTR_NULL(sp_op_find(""));
}

/* ---- refusals ---- */

typedef struct refusal {
  const char *text;
} refusal;

static void check_all(sp_ctx *ctx, void *arg) {
  const char *text = ((refusal *)arg)->text;
  const sp_program *g = sp_hlo_read_text(ctx, "t.hlo", text, strlen(text));
  for (uint32_t i = 0; i < g->n_nodes; i++) {
    if (strcmp(g->nodes[i].op, "hlo:parameter") != 0) {
      sp_op_check(ctx, g, &g->nodes[i]);
    }
  }
}

#define ADD                                                                    \
  "add {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"                  \
  " ROOT r = f32[] add(a, b)\n}\n"

static const struct {
  sp_code code;
  const char *part;  /* of the message */
  const char *entry; /* of the module */
} refusals[] = {
    {SP_ERR_INPUT,
     "contracting dimension 1 of lhs has size 8, dimension 0 of "
     "rhs 16",
     "a = f32[4,8] parameter(0)\nb = f32[16,4] parameter(1)\nROOT r = f32[4,4] "
     "dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {SP_ERR_INPUT, "dimension 1 of result 0 has size 5, 4 expected",
     "a = f32[3,4] parameter(0)\nROOT r = f32[3,5] negate(a)"},
    {SP_ERR_INPUT, "12 elements",
     "a = f32[3,4] parameter(0)\nROOT r = f32[11] reshape(a)"},
    {SP_ERR_INPUT, "twice",
     "a = f32[3,4] parameter(0)\nROOT r = f32[3,4] transpose(a), "
     "dimensions={0,0}"},
    {SP_ERR_INPUT, "dimension 0: a slice of 4 from 3",
     "a = f32[3] parameter(0)\ns = s32[] parameter(1)\nROOT r = f32[4] "
     "dynamic-slice(a, s), dynamic_slice_sizes={4}"},
    {SP_ERR_INPUT, "operands, at most 2",
     "a = f32[3] parameter(0)\nROOT r = f32[3] add(a, a, a)"},
    {SP_ERR_INPUT, "[0:4:1] of size 3",
     "a = f32[3] parameter(0)\nROOT r = f32[4] slice(a), slice={[0:4]}"},
    {SP_ERR_INPUT, "concatenates along 2",
     "a = f32[3,3] parameter(0)\nROOT r = f32[3,3] concatenate(a), "
     "dimensions={0,1}"},
    {SP_ERR_UNKNOWN, "made_up",
     "a = f32[3] parameter(0)\nROOT r = f32[3] negate(a), made_up={1}"},
    {SP_ERR_UNKNOWN, "no row",
     "a = f32[3] parameter(0)\nROOT r = f32[3] frobnicate(a)"},
    {SP_ERR_UNKNOWN, "custom call target \"Mystery\"",
     "a = f32[3] parameter(0)\nROOT r = f32[3] custom-call(a), "
     "custom_call_target=\"Mystery\""},
    {SP_ERR_UNKNOWN, "SPMDFullToShardShape",
     "a = f32[4] parameter(0)\nROOT r = f32[2] custom-call(a), "
     "custom_call_target=\"SPMDFullToShardShape\""},
    {SP_ERR_UNKNOWN, "layouts",
     "a = f32[3,4] parameter(0)\nROOT r = f32[4,3] bitcast(a)"},
    {SP_ERR_UNKNOWN, "c64",
     "a = c64[3] parameter(0)\nROOT r = c64[3] negate(a)"},
    {SP_ERR_UNKNOWN, "different sizes",
     "a = f32[3] parameter(0)\nROOT r = f32[3] all-reduce(a), channel_id=1, "
     "replica_groups={{0,1,2},{3}}, use_global_device_ids=true, to_apply=add"},
};

static void what_is_not_understood_is_refused(void) {
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    char text[2048];
    snprintf(text, sizeof text,
             "HloModule m, num_partitions=4\n" ADD "ENTRY main {\n%s\n}\n",
             refusals[i].entry);
    sp_ctx *ctx = sp_ctx_new(NULL);
    refusal r = {text};
    sp_code code = sp_protect(ctx, check_all, &r);
    const sp_error *e = sp_ctx_error(ctx);
    bool ok = code == refusals[i].code && strstr(e->message, refusals[i].part);
    if (!ok) {
      printf("\n    refusal %zu: code %d, \"%s\", expected \"%s\"\n", i,
             (int)code, e->message, refusals[i].part);
    }
    CU_ASSERT(ok);
    sp_ctx_free(ctx);
  }
}

/* ---- reducers, opaque operators: equal terms where meanings are equal ---- */

typedef struct twins {
  const char *text;
  bool equal; /* results 0 and 1 */
  bool ran;
} twins;

static void compare_results(sp_ctx *ctx, void *arg) {
  twins *t = arg;
  one_case c = {.name = "twins"};
  world w = {.c = &c, .pool = sp_pool_new(ctx)};
  w.program = sp_hlo_read_text(ctx, "t.hlo", t->text, strlen(t->text));
  make_symbols(&w);
  const sp_program *g = w.program;
  sp_expr idx[SP_MAX_DIMS] = {{0}}, rank = sp_int(w.pool, 0);
  const sp_shape *s = &g->tensors[g->results[0]].shape;
  for (uint32_t d = 0; d < s->n_dims; d++) {
    idx[d] = sp_var(w.pool, SP_VAR_INDEX, "i", s->dims[d]);
  }
  sp_expr a = element(&w, g->results[0], rank, idx);
  sp_expr b = element(&w, g->results[1], rank, idx);
  t->equal = a.v == b.v;
  t->ran = true;
}

static const struct {
  bool equal;
  const char *regions, *entry;
} twin_cases[] = {
    /* comparators by meaning, not by name */
    {true,
     "c1 {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = pred[] "
     "compare(a, b), direction=LT\n}\n"
     "c2 {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT r = pred[] "
     "compare(y, x), direction=GT\n}\n",
     "a = f32[3,4] parameter(0)\n"
     "s = f32[3,4] sort(a), dimensions={1}, is_stable=true, to_apply=c1\n"
     "t = f32[3,4] sort(a), dimensions={1}, is_stable=true, to_apply=c2\n"
     "ROOT r = (f32[3,4], f32[3,4]) tuple(s, t)\n"},
    {false,
     "c1 {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = pred[] "
     "compare(a, b), direction=LT\n}\n"
     "c2 {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT r = pred[] "
     "compare(x, y), direction=GT\n}\n",
     "a = f32[3,4] parameter(0)\n"
     "s = f32[3,4] sort(a), dimensions={1}, is_stable=true, to_apply=c1\n"
     "t = f32[3,4] sort(a), dimensions={1}, is_stable=true, to_apply=c2\n"
     "ROOT r = (f32[3,4], f32[3,4]) tuple(s, t)\n"},
    {false,
     "c1 {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = pred[] "
     "compare(a, b), direction=LT\n}\n",
     "a = f32[4,4] parameter(0)\n"
     "s = f32[4,4] sort(a), dimensions={1}, is_stable=true, to_apply=c1\n"
     "t = f32[4,4] sort(a), dimensions={0}, is_stable=true, to_apply=c1\n"
     "ROOT r = (f32[4,4], f32[4,4]) tuple(s, t)\n"},
    /* a sort of rows is the rows of the sort */
    {true,
     "c1 {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = pred[] "
     "compare(a, b), direction=LT\n}\n",
     "a = f32[3,4] parameter(0)\n"
     "s = f32[3,4] sort(a), dimensions={1}, is_stable=true, to_apply=c1\n"
     "u = f32[1,4] slice(s), slice={[1:2], [0:4]}\n"
     "b = f32[1,4] slice(a), slice={[1:2], [0:4]}\n"
     "t = f32[1,4] sort(b), dimensions={1}, is_stable=true, to_apply=c1\n"
     "ROOT r = (f32[1,4], f32[1,4]) tuple(u, t)\n"},
    /* two random states */
    {false, "",
     "a = u64[2] parameter(0)\nb = u64[2] parameter(1)\n"
     "s = (u64[2], u32[3]) rng-bit-generator(a), algorithm=rng_philox\n"
     "t = (u64[2], u32[3]) rng-bit-generator(b), algorithm=rng_philox\n"
     "u = u32[3] get-tuple-element(s), index=1\n"
     "v = u32[3] get-tuple-element(t), index=1\n"
     "ROOT r = (u32[3], u32[3]) tuple(u, v)\n"},
    {true, "",
     "a = u64[2] parameter(0)\n"
     "s = (u64[2], u32[3]) rng-bit-generator(a), algorithm=rng_philox\n"
     "t = (u64[2], u32[3]) rng-bit-generator(a), algorithm=rng_philox\n"
     "u = u32[3] get-tuple-element(s), index=1\n"
     "v = u32[3] get-tuple-element(t), index=1\n"
     "ROOT r = (u32[3], u32[3]) tuple(u, v)\n"},
    {false, "",
     "a = f32[3,6] parameter(0)\n"
     "s = (f32[3,2], s32[3,2]) topk(a), k=2, largest=true\n"
     "t = (f32[3,2], s32[3,2]) topk(a), k=2, largest=false\n"
     "u = f32[3,2] get-tuple-element(s), index=0\n"
     "v = f32[3,2] get-tuple-element(t), index=0\n"
     "ROOT r = (f32[3,2], f32[3,2]) tuple(u, v)\n"},
    /* reducers that are not recognised */
    {true,
     "f {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n c = f32[] "
     "subtract(a, b)\n ROOT r = f32[] abs(c)\n}\n"
     "g {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n c = f32[] "
     "subtract(x, y)\n d = f32[] copy(c)\n ROOT r = f32[] abs(d)\n}\n",
     "a = f32[3,4] parameter(0)\nz = f32[] constant(0)\n"
     "s = f32[3] reduce(a, z), dimensions={1}, to_apply=f\n"
     "t = f32[3] reduce(a, z), dimensions={1}, to_apply=g\n"
     "ROOT r = (f32[3], f32[3]) tuple(s, t)\n"},
    {false,
     "f {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] "
     "subtract(a, b)\n}\n"
     "g {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] "
     "subtract(b, a)\n}\n",
     "a = f32[3,4] parameter(0)\nz = f32[] constant(0)\n"
     "s = f32[3] reduce(a, z), dimensions={1}, to_apply=f\n"
     "t = f32[3] reduce(a, z), dimensions={1}, to_apply=g\n"
     "ROOT r = (f32[3], f32[3]) tuple(s, t)\n"},
    /* an assignment by several index vectors depends on all of them */
    {false, "f {\n a = f32[] parameter(0)\n ROOT b = f32[] parameter(1)\n}\n",
     "a = f32[5] parameter(0)\ni = s32[3,1] parameter(1)\n"
     "j = s32[3,1] reverse(i), dimensions={0}\nu = f32[3] parameter(2)\n"
     "s = f32[5] scatter(a, i, u), update_window_dims={}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=f\n"
     "t = f32[5] scatter(a, j, u), update_window_dims={}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
     "index_vector_dim=1, to_apply=f\n"
     "ROOT r = (f32[5], f32[5]) tuple(s, t)\n"},
};

static void opaque_operators_are_equal_where_their_inputs_are(void) {
  for (size_t i = 0; i < sizeof twin_cases / sizeof twin_cases[0]; i++) {
    char text[4096];
    snprintf(text, sizeof text, "HloModule m\n%sENTRY main {\n%s}\n",
             twin_cases[i].regions, twin_cases[i].entry);
    sp_ctx *ctx = sp_ctx_new(NULL);
    twins t = {.text = text};
    sp_code code = sp_protect(ctx, compare_results, &t);
    bool ok = code == SP_OK && t.ran && t.equal == twin_cases[i].equal;
    if (!ok) {
      printf("\n    twins %zu: code %d (%s), equal %d\n", i, (int)code,
             code ? sp_ctx_error(ctx)->message : "", (int)t.equal);
    }
    CU_ASSERT(ok);
    sp_ctx_free(ctx);
  }
}

/* ---- many devices ---- */

static void many_ranks(sp_ctx *ctx, void *arg) {
  compare_results(ctx, arg);
}

static void a_collective_over_8192_ranks_is_small(void) {
  const char *text =
      "HloModule m, num_partitions=8192\n" ADD "ENTRY main {\n"
      "a = f32[3] parameter(0)\n"
      "s = f32[3] all-reduce(a), channel_id=1, "
      "replica_groups=[1024,8]<=[8,1024]T(1,0), use_global_device_ids=true, "
      "to_apply=add\n"
      "t = f32[3] all-reduce(a), channel_id=2, "
      "replica_groups=[1024,8]<=[8,1024]T(1,0), use_global_device_ids=true, "
      "to_apply=add\n"
      "ROOT r = (f32[3], f32[3]) tuple(s, t)\n}\n";
  sp_ctx *ctx = sp_ctx_new(NULL);
  twins t = {.text = text};
  CU_ASSERT_EQUAL(sp_protect(ctx, many_ranks, &t), SP_OK);
  CU_ASSERT(t.equal);
  sp_ctx_free(ctx);
}

void suite_ops(void) {
  CU_pSuite s = CU_add_suite("ops", NULL, NULL);
  CU_add_test(s, "every_row_has_all_fields", every_row_has_all_fields);
  CU_add_test(s, "no_spelling_occurs_twice", no_spelling_occurs_twice);
  CU_add_test(s, "what_is_not_understood_is_refused",
              what_is_not_understood_is_refused);
  CU_add_test(s, "opaque_operators_are_equal_where_their_inputs_are",
              opaque_operators_are_equal_where_their_inputs_are);
  CU_add_test(s, "a_collective_over_8192_ranks_is_small",
              a_collective_over_8192_ranks_is_small);
  CU_add_test(s, "operators_agree_with_xla", operators_agree_with_xla);
}
