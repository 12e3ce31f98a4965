/* test_layers.c: what is proved of one layer is carried over to the next, with
 * other names (solve/layers.h), and only where all that the proof used is the
 * same there. Each pair has two layers without anything in common; the second
 * one is like the first in the distributed program, and in a broken twin the
 * proof must not be. Proofs alone: nothing is run. */
#include "tests/suites.h"
#include "tests/support_hlo.h"

#include <CUnit/CUnit.h>

#include "base/vec.h"
#include "graph/same.h"
#include "solve/numbers.h"

#include <string.h>

void suite_layers(void);

/* The layer's inputs, and its text, where @ is the layer's number. */
#define INPUTS                                                                 \
  "  a@ = f32[8] parameter(#0)%s\n  b@ = f32[8] parameter(#1)%s\n"             \
  "  w@ = f32[8] parameter(#2)%s\n  i@ = s32[8] parameter(#3)%s\n"             \
  "  c@ = f32[] constant(2)\n"                                                 \
  "  k@ = f32[8] broadcast(c@), dimensions={}\n"

typedef struct pair {
  const char *seq, *other_seq; /* layer 0, and layer 1 (NULL: the same) */
  const char *dist, *other_dist;
  size_t n_ranges; /* of i0, i1: below 8 */
} pair;

/* The text with @ replaced, and # by 4 * the number. */
static void numbered(sp_ctx *ctx, sp_str *out, const char *text, int layer) {
  for (const char *c = text; *c; c++) {
    if (*c == '@') {
      sp_str_addf(ctx, out, "%d", layer);
    } else if (*c == '#') {
      sp_str_addf(ctx, out, "%d", layer * 4 + c[1] - '0');
      c++;
    } else {
      sp_str_addn(ctx, out, c, 1);
    }
  }
}

static const char *module_text(sp_ctx *ctx, bool dist, const pair *x) {
  sp_str s = {0};
  sp_str_add(ctx, &s,
             "HloModule m, num_partitions=4\nadd {\n  p = f32[] parameter(0)\n"
             "  q = f32[] parameter(1)\n  ROOT r = f32[] add(p, q)\n}\n"
             "ENTRY e {\n");
  const char *given = dist ? "" : ", sharding={replicated}";
  const char *inputs = sp_format(ctx, INPUTS, given, given, given, given);
  for (int l = 0; l < 2; l++) {
    const char *body = dist ? x->dist : x->seq;
    const char *other = dist ? x->other_dist : x->other_seq;
    numbered(ctx, &s, inputs, l);
    numbered(ctx, &s, l && other ? other : body, l);
  }
  sp_str_add(ctx, &s, "  ROOT t = (f32[8], f32[8]) tuple(z0, z1)\n}\n");
  return s.v;
}

typedef struct outcome {
  const pair *pair;
  sp_verdict verdict;
  size_t alike; /* tensors of the second layer with a proof of the first */
} outcome;

static void check(sp_ctx *ctx, void *arg) {
  outcome *o = arg;
  const sp_program *seq = hlo_read(ctx, module_text(ctx, false, o->pair));
  const sp_program *dist = hlo_read(ctx, module_text(ctx, true, o->pair));
  static const sp_stretch below = {0, 7};
  static const sp_assumed_range ranges[] = {{"3", 1, &below}, {"7", 1, &below}};
  sp_check_options options = {
      .run_budget = -1, .assume = ranges, .n_assume = o->pair->n_ranges};
  CU_ASSERT_FATAL(seq && dist);
  const sp_report *report = sp_check(ctx, seq, dist, &options);
  o->verdict = report->verdict;
  for (size_t i = 0; i < report->n_tensors; i++) {
    const sp_report_tensor *t = &report->tensors[i];
    o->alike += t->like && t->sequential;
  }
}

static outcome outcome_of(const pair *x) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  outcome o = {x, SP_VIOLATION, 0};
  CU_ASSERT_EQUAL(sp_protect(ctx, check, &o), SP_OK);
  if (sp_ctx_error(ctx)->code != SP_OK) {
    printf("%s\n", sp_ctx_error(ctx)->message);
  }
  sp_ctx_free(ctx);
  return o;
}

/* Proved, the second layer by the first one's proof; broken not at all. */
static void expect(pair right, pair broken) {
  outcome o = outcome_of(&right);
  CU_ASSERT_EQUAL(o.verdict, SP_REFINES);
  CU_ASSERT_TRUE(o.alike > 0);
  CU_ASSERT_EQUAL(outcome_of(&broken).verdict, SP_UNPROVEN);
}

/* ---- what a proof uses ---- */

#define SUM_OF_PRODUCT                                                         \
  "  p@ = f32[8] multiply(b@, w@)\n  z@ = f32[8] exponential(p@)\n"

static void operators(void) {
  pair x = {.seq = SUM_OF_PRODUCT, .dist = SUM_OF_PRODUCT};
  pair y = x;
  y.other_seq = "  p@ = f32[8] add(b@, w@)\n  z@ = f32[8] exponential(p@)\n";
  expect(x, y);
  y.other_seq = "  p@ = f32[8] multiply(b@, a@)\n  z@ = f32[8] "
                "exponential(p@)\n";
  expect(x, y);
}

/* x - a = b needs the definition of x, whose operand a the distributed program
 * does not have. */
#define OPENED(op, by)                                                         \
  "  x@ = f32[8] add(a@, b@)\n  y@ = f32[8] " op "(x@, " by "@)\n"             \
  "  u@ = f32[8] exponential(y@)\n  z@ = f32[8] multiply(u@, w@)\n"
#define CLOSED "  u@ = f32[8] exponential(b@)\n  z@ = f32[8] multiply(u@, w@)\n"
/* Here it has: as something that it subtracts again. */
#define PASSED                                                                 \
  "  d@ = f32[8] subtract(a@, a@)\n  e@ = f32[8] add(b@, d@)\n"                \
  "  u@ = f32[8] exponential(e@)\n  z@ = f32[8] multiply(u@, w@)\n"

static void definitions(void) {
  pair x = {.seq = OPENED("subtract", "a"), .dist = PASSED};
  pair y = x;
  y.other_seq = OPENED("add", "a");
  expect(x, y);
  y.other_seq = OPENED("subtract", "w");
  expect(x, y);
  pair z = {.seq = OPENED("subtract", "a"), .dist = CLOSED};
  CU_ASSERT_EQUAL(outcome_of(&z).verdict, SP_REFINES);
  z.other_seq = OPENED("subtract", "w");
  CU_ASSERT_EQUAL(outcome_of(&z).verdict, SP_UNPROVEN);
}

/* That it is below 8 is used on the sequential side alone. */
#define CHOSEN                                                                 \
  "  l@ = s32[] constant(8)\n  m@ = s32[8] broadcast(l@), dimensions={}\n"     \
  "  o@ = pred[8] compare(i@, m@), direction=LT\n  r@ = f32[8] convert(i@)\n"  \
  "  s@ = f32[8] select(o@, b@, r@)\n  z@ = f32[8] multiply(s@, r@)\n"
#define UNCHOSEN "  r@ = f32[8] convert(i@)\n  z@ = f32[8] multiply(b@, r@)\n"

static void ranges(void) {
  pair x = {.seq = CHOSEN, .dist = UNCHOSEN, .n_ranges = 2};
  pair y = x;
  y.n_ranges = 1;
  expect(x, y);
}

#define ADDED_UP(groups, scale)                                                \
  "  h@ = f32[] constant(" scale ")\n"                                         \
  "  j@ = f32[8] broadcast(h@), dimensions={}\n"                               \
  "  e@ = f32[8] exponential(b@)\n  q@ = f32[8] multiply(e@, j@)\n"            \
  "  z@ = f32[8] all-reduce(q@), channel_id=#1, replica_groups=" groups ", "   \
  "use_global_device_ids=true, to_apply=add\n"
#define FOUR_TIMES "  e@ = f32[8] exponential(b@)\n  z@ = f32[8] add(e@, e@)\n"

static void collectives(void) {
  pair x = {.seq = FOUR_TIMES, .dist = ADDED_UP("{{0,1,2,3}}", "0.5")};
  pair y = x;
  y.other_dist = ADDED_UP("{{0,1},{2,3}}", "0.5");
  expect(x, y);
  y.other_dist = ADDED_UP("{{0,1,2,3}}", "0.25");
  expect(x, y);
}

#define TURNED(from)                                                           \
  "  f@ = f32[4] slice(b@), slice={[" from "]}\n"                              \
  "  g@ = f32[4] slice(b@), slice={[4:8]}\n"                                   \
  "  n@ = f32[8] concatenate(f@, g@), dimensions={0}\n"                        \
  "  e@ = f32[8] exponential(n@)\n  z@ = f32[8] multiply(e@, w@)\n"

static void attributes(void) {
  pair x = {.seq = CLOSED, .dist = TURNED("0:4")};
  pair y = x;
  y.other_dist = TURNED("1:5");
  expect(x, y);
}

/* Both layers are of the first one's inputs in the distributed program. */
static void inputs(void) {
  pair x = {.seq = SUM_OF_PRODUCT, .dist = SUM_OF_PRODUCT};
  pair y = x;
  y.other_dist =
      "  p@ = f32[8] multiply(b0, w@)\n  z@ = f32[8] exponential(p@)\n";
  expect(x, y);
  y.other_dist =
      "  p@ = f32[8] multiply(b0, w0)\n  z@ = f32[8] exponential(p@)\n";
  expect(x, y);
}

/* What is known of an anchor is known of its image only if it was found there:
 * the first one does not depend on its index. */
static void anchors(void) {
  pair x = {.seq =
                "  v@ = f32[8] exponential(k@)\n"
                "  u@ = f32[8] add(v@, k@)\n  z@ = f32[8] multiply(u@, w@)\n",
            .dist = "  v@ = f32[8] exponential(k@)\n"
                    "  y@ = f32[8] reverse(v@), dimensions={0}\n"
                    "  u@ = f32[8] add(y@, k@)\n"
                    "  z@ = f32[8] multiply(u@, w@)\n"};
  pair y = x;
  y.other_seq = "  v@ = f32[8] exponential(b@)\n"
                "  u@ = f32[8] add(v@, k@)\n  z@ = f32[8] multiply(u@, w@)\n";
  y.other_dist = "  v@ = f32[8] exponential(b@)\n"
                 "  y@ = f32[8] reverse(v@), dimensions={0}\n"
                 "  u@ = f32[8] add(y@, k@)\n"
                 "  z@ = f32[8] multiply(u@, w@)\n";
  expect(x, y);
}

/* A border of manual mode looks at shardings, which are no attributes. */
#define BORDERS(devices)                                                       \
  "  d@ = f32[8] copy(b@), sharding={devices=[4]<=[4]}\n"                      \
  "  x@ = f32[2] custom-call(d@), custom_call_target="                         \
  "\"SPMDFullToShardShape\", sharding={manual}\n"                              \
  "  y@ = f32[8] custom-call(x@), custom_call_target="                         \
  "\"SPMDShardToFullShape\", sharding={devices=[4]" devices "}\n"              \
  "  u@ = f32[8] exponential(y@)\n  z@ = f32[8] multiply(u@, w@)\n"

static void borders(void) {
  pair x = {.seq = CLOSED, .dist = BORDERS("<=[4]")};
  pair y = x;
  y.other_dist = BORDERS("3,2,1,0");
  expect(x, y);
}

/* A configuration that reads like one of FX's devices is none. */
#define CALL(config)                                                           \
  "  y@ = f32[8]{0} custom-call(b@), custom_call_target=\"f\", "               \
  "operand_layout_constraints={f32[8]{0}}, frontend_attributes={"              \
  "num_batch_dims=\"0\"}, backend_config=\"device(" config ")\"\n"             \
  "  z@ = f32[8] multiply(y@, w@)\n"

static void devices(void) {
  pair x = {.seq = CALL("0"), .dist = CALL("0")};
  pair y = x;
  y.other_dist = CALL("1");
  expect(x, y);
  y.other_seq = CALL("2");
  expect(x, y);
}

/* That A is not negative was found before B became an anchor, by a definition
 * that is not opened where A is. */
#define SUMS                                                                   \
  "  n@ = f32[] constant(0)\n"                                                 \
  "  d@ = f32[8,8] broadcast(a@), dimensions={0}\n"                            \
  "  e@ = f32[8,8] broadcast(w@), dimensions={1}\n"                            \
  "  P@ = f32[8,8] multiply(d@, e@)\n"
#define DEEP                                                                   \
  "  v@ = f32[] reduce(w@, n@), dimensions={0}, to_apply=add\n"                \
  "  o@ = f32[8,8] broadcast(v@), dimensions={}\n"                             \
  "  x@ = f32[8,8] multiply(o@, P@)\n  y@ = f32[8,8] exponential(x@)\n"        \
  "  W@ = f32[8] reduce(y@, n@), dimensions={1}, to_apply=add\n"
#define CUT_OFF(op)                                                            \
  SUMS "  g@ = f32[8,8] " op "(P@)\n"                                          \
       "  r@ = f32[8] reduce(g@, n@), dimensions={1}, to_apply=add\n"          \
       "  p@ = f32[8] add(b@, r@)\n  B@ = f32[8] add(p@, r@)\n"                \
       "  A@ = f32[8] subtract(B@, b@)\n" DEEP                                 \
       "  S@ = f32[8] subtract(W@, W@)\n  Y@ = f32[8] maximum(A@, S@)\n"       \
       "  M@ = f32[8] add(Y@, W@)\n  z@ = f32[8] exponential(M@)\n"
#define WHOLE(op, g, by)                                                       \
  SUMS op "  h@ = f32[8,8] add(" g "@, " g "@)\n"                              \
          "  A@ = f32[8] reduce(h@, n@), dimensions={1}, to_apply=add\n"       \
          "  B@ = f32[8] " by "\n" DEEP "  t@ = f32[8] add(B@, W@)\n"          \
          "  u@ = f32[8] subtract(t@, b@)\n  z@ = f32[8] exponential(u@)\n"

static void facts(void) {
  pair x = {.seq = CUT_OFF("abs"),
            .dist = WHOLE("  g@ = f32[8,8] abs(P@)\n", "g", "add(A@, b@)")};
  pair y = x;
  y.other_seq = CUT_OFF("negate");
  y.other_dist = WHOLE("", "P", "subtract(b@, A@)");
  expect(x, y);
}

/* ---- the same node ---- */

static const sp_node *node(const sp_program *p, const char *name) {
  return hlo_node(p, name);
}

static void nodes(sp_ctx *ctx, void *arg) {
  (void)arg;
  const sp_program *p = hlo_read(
      ctx,
      "HloModule m, num_partitions=4\nadd {\n  p = f32[] parameter(0)\n"
      "  q = f32[] parameter(1)\n  ROOT r = f32[] add(p, q)\n}\n"
      "max {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n"
      "  ROOT r = f32[] maximum(p, q)\n}\n"
      "ENTRY e {\n  x = f32[8] parameter(0)\n"
      "  a = f32[8] all-reduce(x), channel_id=1, replica_groups={{0,1,2,3}}, "
      "use_global_device_ids=true, to_apply=add\n"
      "  b = f32[8] all-reduce(a), channel_id=2, replica_groups={{0,1,2,3}}, "
      "use_global_device_ids=true, to_apply=add\n"
      "  c = f32[8] all-reduce(b), channel_id=3, replica_groups={{0,1},{2,3}}, "
      "use_global_device_ids=true, to_apply=add\n"
      "  d = f32[8] all-reduce(c), channel_id=4, replica_groups={{0,1,2,3}}, "
      "use_global_device_ids=true, to_apply=max\n"
      "  f = f32[] constant(0)\n  g = f32[] constant(-0)\n"
      "  h = f32[] constant(nan)\n  i = f32[] constant(nan)\n"
      "  j = f32[8] reduce-window(d, f), window={size=3 pad=1_1}, "
      "to_apply=add\n"
      "  k = f32[8] reduce-window(j, f), window={size=3 pad=1_1}, "
      "to_apply=add\n"
      "  l = f32[8] reduce-window(k, f), window={size=3 pad=0_2}, "
      "to_apply=add\n"
      "  ROOT t = (f32[8], f32[], f32[], f32[]) tuple(l, g, h, i)\n}\n");
  CU_ASSERT_FATAL(p != NULL);
  static const struct {
    const char *a, *b;
    bool same;
  } want[] = {{"a", "b", true},  {"a", "c", false}, {"a", "d", false},
              {"f", "g", false}, {"h", "i", true},  {"f", "h", false},
              {"j", "k", true},  {"j", "l", false}};
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    const sp_node *a = node(p, want[i].a), *b = node(p, want[i].b);
    CU_ASSERT_EQUAL(sp_node_same(a, b), want[i].same);
    CU_ASSERT_TRUE(!want[i].same || sp_node_hash(a) == sp_node_hash(b));
  }
}

static void same_nodes(void) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  CU_ASSERT_EQUAL(sp_protect(ctx, nodes, NULL), SP_OK);
  sp_ctx_free(ctx);
}

void suite_layers(void) {
  CU_pSuite s = CU_add_suite("layers", NULL, NULL);
  CU_ADD_TEST(s, operators);
  CU_ADD_TEST(s, definitions);
  CU_ADD_TEST(s, ranges);
  CU_ADD_TEST(s, collectives);
  CU_ADD_TEST(s, attributes);
  CU_ADD_TEST(s, inputs);
  CU_ADD_TEST(s, anchors);
  CU_ADD_TEST(s, borders);
  CU_ADD_TEST(s, devices);
  CU_ADD_TEST(s, facts);
  CU_ADD_TEST(s, same_nodes);
}
