/* test_facts.c: the evaluator and the operator table against what XLA's and
 * PyTorch's own runs showed ($SHARDPROOF_CASES/xla, expect.yaml, and torch,
 * spec.yaml): both programs of a pair are run on hashed inputs in the assumed
 * ranges. Where the pair refines, results agree under the shardings; where it
 * is a violation, they differ on some inputs. A sample of pairs, all of them in
 * the long mode. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/hlo.h"
#include "shard-specs/problem.h"
#include "tests/support_dumps.h"
#include "tests/support_inputs.h"

void suite_facts(void);

enum { MAX_RANGES = 32, RUNS = 6 };

typedef struct fact {
  char before[512], after[512], spec[512];
  bool refines, known, skip;
  size_t n;
  sp_assumed_range ranges[MAX_RANGES];
  sp_stretch parts[MAX_RANGES];
  char names[MAX_RANGES][16];
} fact;

/* The line's value when it is `key: value`, perhaps after "- ". */
static const char *value_of(const char *line, const char *key) {
  while (*line == ' ' || *line == '-') {
    line++;
  }
  size_t n = strlen(key);
  return strncmp(line, key, n) == 0 && line[n] == ':' && line[n + 1] == ' '
             ? line + n + 2
             : NULL;
}

static void read_line(fact *f, const char *dir, char *line, char *param) {
  const char *v;
  line[strcspn(line, "\r\n")] = '\0';
  if ((v = value_of(line, "verdict")) != NULL ||
      (v = value_of(line, "expect")) != NULL) {
    f->known = true;
    f->refines = strncmp(v, "refines", 7) == 0;
  } else if ((v = value_of(line, "before")) != NULL && strstr(v, ".txt")) {
    snprintf(f->before, sizeof f->before, "%s/%s", dir, v);
  } else if ((v = value_of(line, "param")) != NULL) {
    snprintf(param, 16, "%.15s", v);
  } else if ((v = value_of(line, "draw")) != NULL) {
    if (strcmp(v, "int") == 0 && f->n < MAX_RANGES) {
      snprintf(f->names[f->n], sizeof f->names[f->n], "%s", param);
      f->ranges[f->n] = (sp_assumed_range){f->names[f->n], 1, &f->parts[f->n]};
      f->n++;
    }
  } else if (f->n && (v = value_of(line, "lo")) != NULL) {
    f->parts[f->n - 1].lo = atoll(v);
  } else if (f->n && (v = value_of(line, "hi")) != NULL) {
    f->parts[f->n - 1].hi = atoll(v) - 1;
  } else if ((v = value_of(line, "how")) != NULL && strstr(v, "not run")) {
    f->skip = true;
  }
}

static fact *read_fact(const char *path) {
  fact *f = calloc(1, sizeof *f);
  FILE *file = f ? fopen(path, "r") : NULL;
  if (!file) {
    free(f);
    return NULL;
  }
  char dir[400], line[4096], param[16] = "";
  snprintf(dir, sizeof dir, "%.*s", (int)(strrchr(path, '/') - path), path);
  snprintf(f->before, sizeof f->before, "%s/before.hlo.txt", dir);
  snprintf(f->after, sizeof f->after, "%s/after.hlo.txt", dir);
  if (strcmp(strrchr(path, '/'), "/spec.yaml") == 0) {
    snprintf(f->spec, sizeof f->spec, "%s", path);
  }
  while (fgets(line, sizeof line, file)) {
    read_line(f, dir, line, param);
  }
  fclose(file);
  return f;
}

typedef struct job {
  const fact *f;
  bool differ, ran;
  char message[600];
} job;

static bool run_both(sp_machine *seq, sp_machine *dist, job *j) {
  const sp_machine *bad = NULL;
  if (!sp_machine_run(seq)) {
    bad = seq;
  } else if (!sp_machine_run(dist)) {
    bad = dist;
  }
  if (bad) {
    snprintf(j->message, sizeof j->message, "not run: %.500s",
             sp_machine_problem(bad)->message);
  }
  return !bad;
}

static sp_problem problem_of(sp_ctx *ctx, const fact *f) {
  if (f->spec[0]) {
    return sp_spec_problem(ctx, sp_spec_read_file(ctx, f->spec));
  }
  const sp_program *p = sp_hlo_read_file(ctx, f->before);
  const sp_program *d = sp_hlo_read_file(ctx, f->after);
  sp_problem problem = sp_problem_of_pair(ctx, p, d);
  sp_problem_assume(ctx, &problem, f->ranges, f->n);
  return problem;
}

static void run_pair(sp_ctx *ctx, void *arg) {
  job *j = arg;
  sp_problem problem = problem_of(ctx, j->f);
  sp_pool *pool = sp_pool_new(ctx);
  const sp_machine_options one = {.sequential = true};
  sp_machine *seq = sp_machine_new(ctx, pool, problem.seq, &one);
  sp_machine *dist = sp_machine_new(ctx, pool, problem.dist, NULL);
  for (int i = 0; i < RUNS && !j->differ; i++) {
    sp_machine_reset(seq);
    sp_machine_reset(dist);
    sp_inputs_draw(seq, dist, &problem, (uint64_t)i, (sp_draw)(i % 3));
    if (!run_both(seq, dist, j)) {
      return;
    }
    for (size_t k = 0; k < problem.n_promised && !j->differ; k++) {
      sp_difference x;
      j->differ = sp_outputs_differ(seq, dist, &problem.promised[k], 1e-9, &x);
      if (j->differ || x.nan) {
        snprintf(j->message, sizeof j->message,
                 "result %zu, rank %d: %g, expected %g (%d NaN)", k,
                 (int)x.rank, x.got, x.expected, (int)x.nan);
      }
    }
  }
  j->ran = true;
}

static void check(const char *path) {
  fact *f = read_fact(path);
  CU_ASSERT_PTR_NOT_NULL_FATAL(f);
  if (f->skip || !f->known) {
    free(f);
    return;
  }
  job j = {.f = f};
  sp_ctx *ctx = sp_ctx_new(NULL);
  if (sp_protect(ctx, run_pair, &j) != SP_OK) {
    snprintf(j.message, sizeof j.message, "%.590s", sp_ctx_error(ctx)->message);
  }
  if (!j.ran || j.differ == f->refines) {
    printf("\n    %s: %s\n", path, j.message);
    CU_FAIL("running does not show the recorded verdict");
  }
  sp_ctx_free(ctx);
  free(f);
}

static void check_sample(dump_list l) {
  size_t step = long_mode() ? 1 : 9;
  for (size_t i = 0; i < l.n; i += step) {
    check(l.paths[i]);
  }
  dump_list_free(&l);
}

static void xla_pairs_run_as_recorded(void) {
  check_sample(dump_list_find("xpect.yaml")); /* the end of a name */
}

static void torch_pairs_run_as_recorded(void) {
  check_sample(dump_list_find_in("torch", "pec.yaml"));
}

void suite_facts(void) {
  CU_pSuite s = CU_add_suite("facts", NULL, NULL);
  CU_add_test(s, "XLA pairs run as recorded", xla_pairs_run_as_recorded);
  CU_add_test(s, "torch pairs run as recorded", torch_pairs_run_as_recorded);
}
