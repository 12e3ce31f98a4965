/* repro.c: a folder with which the user sees the difference in XLA itself: both
 * modules, the inputs as .npy, counterexample.json, repro.py. Read
 * cli_write_repro, last. */
#include "base/npy.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/repro_script.h"
#include "solve/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct repro {
  sp_ctx *ctx;
  const char *folder;
  const cli_outcome *outcome;
  sp_replay inputs;
} repro;

static const char *in_folder(const repro *r, const char *name) {
  return sp_format(r->ctx, "%s/%s", r->folder, name);
}

/* ---- arrays ---- */

/* Types that numpy has no name for are stored as f4 or i1, and cast by the
 * script: the numbers drawn are exact in them or rounded as XLA would. */
static void element_type(sp_dtype t, char *kind, unsigned *size) {
  int bits = sp_dtype_bits(t);
  *kind = t == SP_PRED              ? 'b'
          : sp_dtype_is_unsigned(t) ? 'u'
          : sp_dtype_is_int(t)      ? 'i'
                                    : 'f';
  *size = t == SP_PRED ? 1 : bits <= 8 ? 1 : (unsigned)bits / 8;
  if (*kind == 'f') {
    *size = t == SP_F64 ? 8 : 4;
  }
}

static void put_element(uint8_t *to, char kind, unsigned size, double real,
                        int64_t whole) {
  if (kind == 'f' && size == 4) {
    float f = (float)real;
    memcpy(to, &f, sizeof f);
  } else if (kind == 'f') {
    memcpy(to, &real, sizeof real);
  } else {
    int8_t a = (int8_t)whole;
    int16_t b = (int16_t)whole;
    int32_t c = (int32_t)whole;
    const void *from = size == 1   ? (const void *)&a
                       : size == 2 ? (const void *)&b
                       : size == 4 ? (const void *)&c
                                   : (const void *)&whole;
    memcpy(to, from, size);
  }
}

/* Writes one rank's values; returns what the script must know of the file. */
static json_t *write_input(const repro *r, sp_machine *m, uint32_t tensor,
                           int64_t rank, const char *name) {
  const sp_shape *s = &sp_machine_program(m)->tensors[tensor].shape;
  int64_t n = sp_shape_elements(s);
  sp_npy a = {.n_dims = s->n_dims, .dims = s->dims, .n = n};
  element_type(s->dtype, &a.kind, &a.size);
  sp_mark mark = sp_scratch_mark(r->ctx);
  uint8_t *bytes = sp_scratch(r->ctx, (size_t)n * a.size + 1);
  for (int64_t i = 0; i < n; i++) {
    put_element(bytes + (size_t)i * a.size, a.kind, a.size,
                sp_machine_value(m, tensor, rank, i),
                sp_machine_int(m, tensor, rank, i));
  }
  a.bytes = bytes;
  const char *file = sp_format(r->ctx, "inputs/%s", name);
  sp_npy_write(r->ctx, in_folder(r, file), &a);
  sp_scratch_release(r->ctx, mark);
  json_t *o = json_object();
  json_object_set_new(
      o, "name",
      json_string(
          cli_clean(r->ctx, sp_machine_program(m)->tensors[tensor].name)));
  json_object_set_new(o, "file", json_string(file));
  json_object_set_new(o, "dtype", json_string(sp_dtype_name(s->dtype)));
  return o;
}

static json_t *before_inputs(const repro *r) {
  const sp_program *p = r->outcome->before_program;
  json_t *list = json_array();
  for (uint32_t i = 0; i < p->n_params; i++) {
    json_array_append_new(list,
                          write_input(r, r->inputs.seq, p->params[i], 0,
                                      sp_format(r->ctx, "%" PRIu32 ".npy", i)));
  }
  return list;
}

static json_t *after_inputs(const repro *r) {
  const sp_program *p = r->outcome->after_program;
  json_t *list = json_array();
  for (uint32_t i = 0; i < p->n_params; i++) {
    json_t *ranks = json_array();
    for (int64_t k = 0; k < p->partitions; k++) {
      const char *name =
          sp_format(r->ctx, "%" PRIu32 ".rank%" PRId64 ".npy", i, k);
      json_array_append_new(
          ranks, write_input(r, r->inputs.dist, p->params[i], k, name));
    }
    json_array_append_new(list, ranks);
  }
  return list;
}

/* ---- counterexample.json ---- */

static json_t *number(double v) {
  return isfinite(v) ? json_real(v)
                     : json_string(isnan(v) ? "nan"
                                   : v > 0  ? "inf"
                                            : "-inf");
}

static json_t *index_of(const int64_t *v, uint32_t n) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < n; i++) {
    json_array_append_new(list, json_integer((json_int_t)v[i]));
  }
  return list;
}

/* By instruction: XLA's parsers differ in the notations that they know. */
static void add_groups(const repro *r, json_t *into, const sp_program *p) {
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const sp_node *node = &p->nodes[i];
    for (uint32_t k = 0; k < node->n_attrs; k++) {
      const sp_attr *a = &node->attrs[k];
      if (a->kind == SP_ATTR_REGION) {
        add_groups(r, into, a->u.region);
      }
      if (a->kind != SP_ATTR_GROUPS) {
        continue;
      }
      const sp_groups *g = a->u.groups;
      json_t *list = json_array();
      for (uint32_t c = 0; c < g->n_groups; c++) {
        json_array_append_new(list, index_of(g->ids + g->start[c],
                                             g->start[c + 1] - g->start[c]));
      }
      const char *slash = strrchr(node->name, '/');
      json_object_set_new(
          into, cli_clean(r->ctx, slash ? slash + 1 : node->name), list);
    }
  }
}

static json_t *describe(const repro *r, const char *before, const char *after) {
  const sp_counterexample *c = r->outcome->report->counterexample;
  json_t *o = json_object(), *groups = json_object();
  add_groups(r, groups, r->outcome->after_program);
  json_object_set_new(
      o, "sentence",
      json_string(cli_clean(r->ctx, r->outcome->report->sentence)));
  json_object_set_new(o, "before", before ? json_string(before) : json_null());
  json_object_set_new(o, "after", after ? json_string(after) : json_null());
  json_object_set_new(
      o, "ranks",
      json_integer((json_int_t)r->outcome->after_program->partitions));
  json_object_set_new(o, "output", json_integer(c->output));
  json_object_set_new(o, "name", json_string(cli_clean(r->ctx, c->name)));
  json_object_set_new(o, "rank", json_integer((json_int_t)c->rank));
  json_object_set_new(o, "local_index", index_of(c->local_index, c->n_dims));
  json_object_set_new(o, "global_index", index_of(c->global_index, c->n_dims));
  json_object_set_new(o, "expected", number(c->expected));
  json_object_set_new(o, "got", number(c->got));
  json_object_set_new(o, "inputs", json_string(c->inputs));
  json_object_set_new(o, "seed", json_integer((json_int_t)c->seed));
  json_object_set_new(o, "before_inputs", before_inputs(r));
  json_object_set_new(o, "after_inputs", after_inputs(r));
  json_object_set_new(o, "replica_groups", groups);
  return o;
}

/* ---- the folder ---- */

static bool dump_script(FILE *f, const void *what) {
  (void)what;
  for (size_t i = 0; cli_repro_script[i]; i++) {
    fprintf(f, "%s\n", cli_repro_script[i]);
  }
  return !ferror(f);
}

static bool dump_copy(FILE *f, const void *what) {
  FILE *from = fopen(what, "rb");
  char bytes[65536];
  size_t n = 0;
  bool ok = from != NULL;
  while (ok && (n = fread(bytes, 1, sizeof bytes, from)) > 0) {
    ok = fwrite(bytes, 1, n, f) == n;
  }
  ok = ok && !ferror(from);
  if (from) {
    fclose(from);
  }
  return ok;
}

static const char *module_name(const repro *r, const char *path,
                               const char *as) {
  size_t n = strlen(path);
  bool binary = n > 3 && strcmp(path + n - 3, ".pb") == 0;
  return sp_format(r->ctx, "%s.hlo.%s", as, binary ? "pb" : "txt");
}

static bool make_inputs_folder(const repro *r) {
  const char *path = in_folder(r, "inputs");
  if (mkdir(path, 0777) != 0 && errno != EEXIST) {
    cli_usage_error(NULL, "cannot make the folder %s: %s", path,
                    strerror(errno));
    return false;
  }
  return true;
}

static const sp_problem *problem_of(const repro *r, const cli_values *values) {
  if (r->outcome->problem) {
    return r->outcome->problem;
  }
  sp_problem *pair = sp_alloc(r->ctx, sizeof *pair);
  *pair = sp_problem_of_pair(r->ctx, r->outcome->before_program,
                             r->outcome->after_program);
  sp_problem_assume(r->ctx, pair, values->assume, values->n_assume);
  return pair;
}

bool cli_write_repro(sp_ctx *ctx, const cli_values *values,
                     const cli_outcome *outcome) {
  if (!outcome->report || !outcome->report->counterexample) {
    return true;
  }
  const sp_counterexample *c = outcome->report->counterexample;
  if (c->sampled || c->made_up) {
    if (!values->quiet) {
      printf("\nno reproducer is written: %s\n",
             c->sampled ? "the inputs are too large"
                        : "the programs use a function without known values");
    }
    return true;
  }
  repro r = {.ctx = ctx, .folder = values->repro, .outcome = outcome};
  if (!make_inputs_folder(&r)) {
    return false;
  }
  r.inputs = sp_replay_inputs(ctx, problem_of(&r, values), c);
  bool modules = outcome->problem == NULL;
  const char *before = module_name(&r, outcome->before, "before"),
             *after = module_name(&r, outcome->after, "after");
  json_t *what = describe(&r, modules ? before : NULL, modules ? after : NULL);
  bool ok =
      cli_write_json_to(ctx, in_folder(&r, "counterexample.json"), what) &&
      cli_write_file(ctx, in_folder(&r, "repro.py"), dump_script, NULL);
  if (modules) {
    ok = ok &&
         cli_write_file(ctx, in_folder(&r, before), dump_copy,
                        outcome->before) &&
         cli_write_file(ctx, in_folder(&r, after), dump_copy, outcome->after);
  }
  json_decref(what);
  if (ok && !values->quiet) {
    printf(modules ? "\nto see it in XLA: python %s (needs jax)\n"
                   : "\nto see the inputs: python %s (needs numpy)\n",
           cli_clean(ctx, in_folder(&r, "repro.py")));
  }
  return ok;
}
