/* test_deep.c: many equal layers: like searches are made in the first ones only
 * (solve/vain.h), obligations proved once; a fault in one layer in the middle
 * must not get lost for it. Proofs alone: nothing is run. */
#include "tests/suites.h"
#include "tests/support_hlo.h"

#include <CUnit/CUnit.h>

#include "base/vec.h"
#include "solve/vain.h"

void suite_deep(void);

enum { LAYERS = 8, AT = 5 };

typedef enum fault {
  RIGHT,
  NOT_REDUCED,    /* layer AT adds what one device has */
  OTHER_WEIGHTS,  /* layer AT + 1 takes those of layer AT */
  OTHER_RESIDUAL, /* layer AT adds what came into the one before */
  OTHER_GROUPS,   /* layer AT adds up over pairs */
} fault;

/* x + down(relu(up(x))), the inner dimension cut in 4 where distributed. */
static const char *module_text(sp_ctx *ctx, bool dist, fault f) {
  sp_str s = {0};
  int inner = dist ? 8 : 32;
  sp_str_addf(ctx, &s, "HloModule m, num_partitions=4\n");
  sp_str_addf(ctx, &s,
              "add {\n  p = f32[] parameter(0)\n  q = f32[] "
              "parameter(1)\n  ROOT r = f32[] add(p, q)\n}\n"
              "ENTRY e {\n  x0 = f32[4,16] parameter(0)%s\n",
              dist ? "" : ", sharding={replicated}");
  for (int l = 0; l < LAYERS; l++) {
    sp_str_addf(ctx, &s, "  u%d = f32[16,%d] parameter(%d)%s\n", l, inner,
                2 * l + 1, dist ? "" : ", sharding={devices=[1,4]<=[4]}");
    sp_str_addf(ctx, &s, "  d%d = f32[%d,16] parameter(%d)%s\n", l, inner,
                2 * l + 2, dist ? "" : ", sharding={devices=[4,1]<=[4]}");
  }
  sp_str_addf(ctx, &s,
              "  z = f32[] constant(0)\n  zs = f32[4,%d] "
              "broadcast(z), dimensions={}\n",
              inner);
  for (int l = 0; l < LAYERS; l++) {
    bool here = dist && l == AT;
    int w = dist && l == AT + 1 && f == OTHER_WEIGHTS ? AT : l;
    int from = here && f == OTHER_RESIDUAL ? l - 1 : l;
    const char *part = dist ? "s" : "r";
    sp_str_addf(ctx, &s,
                "  a%d = f32[4,%d] dot(x%d, u%d), "
                "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                "  h%d = f32[4,%d] maximum(a%d, zs)\n"
                "  %s%d = f32[4,16] dot(h%d, d%d), "
                "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
                l, inner, l, w, l, inner, l, part, l, l, l);
    if (dist) {
      bool pairs = here && f == OTHER_GROUPS;
      sp_str_addf(ctx, &s,
                  "  r%d = f32[4,16] all-reduce(s%d), channel_id=%d, "
                  "replica_groups=%s, use_global_device_ids=true, "
                  "to_apply=add\n",
                  l, l, l + 1, pairs ? "{{0,1},{2,3}}" : "{{0,1,2,3}}");
    }
    sp_str_addf(ctx, &s, "  %sx%d = f32[4,16] add(x%d, %s%d)\n",
                l == LAYERS - 1 ? "ROOT " : "", l + 1, from,
                here && f == NOT_REDUCED ? "s" : "r", l);
  }
  sp_str_addf(ctx, &s, "}\n");
  return s.v;
}

typedef struct deep {
  fault fault;
  sp_verdict verdict;
} deep;

static void check(sp_ctx *ctx, void *arg) {
  deep *d = arg;
  const sp_program *seq = hlo_read(ctx, module_text(ctx, false, RIGHT));
  const sp_program *dist = hlo_read(ctx, module_text(ctx, true, d->fault));
  sp_check_options options = {.run_budget = -1};
  d->verdict = SP_UNPROVEN;
  CU_ASSERT_FATAL(seq && dist);
  d->verdict = sp_check(ctx, seq, dist, &options)->verdict;
}

static sp_verdict verdict_of(fault f) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  deep d = {.fault = f};
  CU_ASSERT_EQUAL(sp_protect(ctx, check, &d), SP_OK);
  sp_ctx_free(ctx);
  return d.verdict;
}

static void equal_layers_are_proved(void) {
  CU_ASSERT_EQUAL(verdict_of(RIGHT), SP_REFINES);
}

static void a_fault_in_one_layer_is_not(void) {
  CU_ASSERT_EQUAL(verdict_of(NOT_REDUCED), SP_UNPROVEN);
  CU_ASSERT_EQUAL(verdict_of(OTHER_WEIGHTS), SP_UNPROVEN);
  CU_ASSERT_EQUAL(verdict_of(OTHER_RESIDUAL), SP_UNPROVEN);
  CU_ASSERT_EQUAL(verdict_of(OTHER_GROUPS), SP_UNPROVEN);
}

/* ---- many parameters ---- */

enum { PARAMETERS = 80, FEW_PARAMETERS = 12 };

typedef struct norm {
  int parameters;
  bool forgets; /* to square the last one */
  sp_verdict verdict;
  uint64_t obligations;
} norm;

/* PREFIX0, PREFIX1, ... */
static void add_each(sp_ctx *ctx, sp_str *s, int n, const char *prefix,
                     bool numbers) {
  for (int i = 0; i < n; i++) {
    sp_str_addf(ctx, s, "%s%s", i ? ", " : "", prefix);
    if (numbers) {
      sp_str_addf(ctx, s, "%d", i);
    }
  }
}

/* Each parameter divided by the norm of all, as gradients are clipped. */
static const char *norm_text(sp_ctx *ctx, int n, bool dist, bool forgets) {
  sp_str s = {0};
  int rows = dist ? 4 : 8;
  const char *cut = dist ? "" : ", sharding={devices=[2]<=[2]}";
  sp_str_addf(ctx, &s,
              "HloModule m, num_partitions=2\n"
              "add {\n  p = f32[] parameter(0)\n  q = f32[] "
              "parameter(1)\n  ROOT r = f32[] add(p, q)\n}\n"
              "ENTRY e {\n  z = f32[] constant(0)\n");
  for (int i = 0; i < n; i++) {
    sp_str_addf(ctx, &s, "  x%d = f32[%d] parameter(%d)%s\n", i, rows, i, cut);
    bool bad = forgets && i == n - 1;
    sp_str_addf(ctx, &s,
                bad ? "  s%d = f32[%d] abs(x%d)\n"
                    : "  s%d = f32[%d] multiply(x%d, x%d)\n",
                i, rows, i, i);
    sp_str_addf(ctx, &s,
                "  r%d = f32[] reduce(s%d, z), dimensions={0}, to_apply=add\n"
                "  w%d = f32[1] reshape(r%d)\n",
                i, i, i, i);
  }
  sp_str_addf(ctx, &s, "  c = f32[%d] concatenate(", n);
  add_each(ctx, &s, n, "w", true);
  sp_str_addf(ctx, &s,
              "), dimensions={0}\n"
              "  part = f32[] reduce(c, z), dimensions={0}, to_apply=add\n");
  sp_str_addf(ctx, &s, "%s",
              dist ? "  all = f32[] all-reduce(part), channel_id=1, "
                     "replica_groups={{0,1}}, use_global_device_ids=true, "
                     "to_apply=add\n  n = f32[] sqrt(all)\n"
                   : "  n = f32[] sqrt(part)\n");
  sp_str_addf(ctx, &s, "  b = f32[%d] broadcast(n), dimensions={}\n", rows);
  for (int i = 0; i < n; i++) {
    sp_str_addf(ctx, &s, "  o%d = f32[%d] divide(x%d, b)\n", i, rows, i);
  }
  sp_str_addf(ctx, &s, "  ROOT out = (");
  add_each(ctx, &s, n, dist ? "f32[4]" : "f32[8]", false);
  sp_str_addf(ctx, &s, ") tuple(");
  add_each(ctx, &s, n, "o", true);
  sp_str_addf(ctx, &s, dist ? ")\n}\n" : "), sharding={");
  if (!dist) {
    add_each(ctx, &s, n, "{devices=[2]<=[2]}", false);
    sp_str_addf(ctx, &s, "}\n}\n");
  }
  return s.v;
}

static void check_norm(sp_ctx *ctx, void *arg) {
  norm *n = arg;
  const sp_program *seq =
      hlo_read(ctx, norm_text(ctx, n->parameters, false, false));
  const sp_program *dist =
      hlo_read(ctx, norm_text(ctx, n->parameters, true, n->forgets));
  sp_check_options options = {.run_budget = -1};
  CU_ASSERT_FATAL(seq && dist);
  const sp_report *r = sp_check(ctx, seq, dist, &options);
  n->verdict = r->verdict;
  n->obligations = r->stats.obligations;
}

static norm norm_of(int parameters, bool forgets) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  norm n = {.parameters = parameters, .forgets = forgets};
  CU_ASSERT_EQUAL(sp_protect(ctx, check_norm, &n), SP_OK);
  sp_ctx_free(ctx);
  return n;
}

/* It is proved once, not for each parameter. */
static void a_norm_of_many_parameters_is_proved(void) {
  norm right = norm_of(PARAMETERS, false);
  CU_ASSERT_EQUAL(right.verdict, SP_REFINES);
  CU_ASSERT(right.obligations < 10 * PARAMETERS);
  CU_ASSERT_EQUAL(norm_of(FEW_PARAMETERS, true).verdict, SP_UNPROVEN);
}

/* ---- searches ---- */

static sp_expr read_at(sp_pool *p, const char *name, int64_t extent,
                       sp_expr at) {
  sp_sym s = sp_sym_new(p, name, SP_SORT_REAL, 1, &extent);
  return sp_read(p, s, &at);
}

static void keys(sp_ctx *ctx, void *arg) {
  (void)arg;
  sp_pool *p = sp_pool_new(ctx);
  spi_vain *v = spi_vain_new(p);
  sp_expr i = sp_var(p, SP_VAR_INDEX, "i", 8);
  sp_expr a = read_at(p, "a", 8, i), b = read_at(p, "b", 8, i);
  sp_expr c = read_at(p, "c", 9, i), l = sp_fn1(p, "log", a);
  sp_hyps none = {0};
  uint64_t sum = spi_vain_key(v, sp_add(p, l, b), none);
  CU_ASSERT_EQUAL(spi_vain_key(v, sp_add(p, a, sp_fn1(p, "log", b)), none),
                  sum);
  CU_ASSERT_NOT_EQUAL(spi_vain_key(v, sp_add(p, l, c), none), sum);
  CU_ASSERT_NOT_EQUAL(spi_vain_key(v, sp_mul(p, l, b), none), sum);
  sp_expr last = sp_eq(p, i, sp_int(p, 7));
  CU_ASSERT_NOT_EQUAL(spi_vain_key(v, sp_add(p, l, b), (sp_hyps){1, &last}),
                      sum);
}

static void like_terms_have_one_key(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL(sp_protect(ctx, keys, NULL), SP_OK);
  sp_ctx_free(ctx);
}

static void searches(sp_ctx *ctx, void *arg) {
  (void)arg;
  spi_vain *v = spi_vain_new(sp_pool_new(ctx));
  for (uint64_t key = 1; key < 1000; key += 2) {
    CU_ASSERT_FALSE(spi_vain_again(v, key));
    spi_vain_note(v, key, false);
    CU_ASSERT_FALSE(spi_vain_again(v, key));
    spi_vain_note(v, key, key % 3 == 0);
  }
  CU_ASSERT_FALSE(spi_vain_skipped(v));
  CU_ASSERT_TRUE(spi_vain_again(v, 1));
  CU_ASSERT_TRUE(spi_vain_skipped(v));
  CU_ASSERT_FALSE(spi_vain_again(v, 3)); /* one like it was found */
}

static void twice_in_vain_is_enough(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL(sp_protect(ctx, searches, NULL), SP_OK);
  sp_ctx_free(ctx);
}

void suite_deep(void) {
  CU_pSuite s = CU_add_suite("deep", NULL, NULL);
  CU_ADD_TEST(s, equal_layers_are_proved);
  CU_ADD_TEST(s, a_fault_in_one_layer_is_not);
  CU_ADD_TEST(s, a_norm_of_many_parameters_is_proved);
  CU_ADD_TEST(s, like_terms_have_one_key);
  CU_ADD_TEST(s, twice_in_vain_is_enough);
}
