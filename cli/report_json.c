/* report_json.c: the report for programs; docs/json.md is its manual and
 * docs/report.schema.json its schema (a test compares them). Read json_report
 * first, then cli_write_json. Keys are in a fixed order, and a key that does
 * not apply is there with null, so that readers need not ask. */
#include "cli/report.h"

#include "cli/message.h"
#include "cli/output.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* jansson takes UTF-8 only; a hostile name may be anything. */
static json_t *text_or_null(sp_ctx *ctx, const char *text) {
  return text ? json_string(cli_clean(ctx, text)) : json_null();
}

static json_t *number_or_null(uint64_t n) {
  return n ? json_integer((json_int_t)n) : json_null();
}

static json_t *json_outputs(sp_ctx *ctx, const sp_report *report) {
  json_t *list = json_array();
  for (size_t i = 0; report && i < report->n_outputs; i++) {
    const sp_report_output *o = &report->outputs[i];
    json_t *row = json_object();
    json_object_set_new(row, "index", json_integer(o->index));
    json_object_set_new(row, "name", text_or_null(ctx, o->name));
    json_object_set_new(row, "shape", text_or_null(ctx, o->shape));
    json_object_set_new(row, "status",
                        json_string(o->proved ? "proved" : "unproven"));
    json_object_set_new(row, "promised", text_or_null(ctx, o->promised));
    json_object_set_new(row, "relation", text_or_null(ctx, o->relation));
    json_object_set_new(row, "why", text_or_null(ctx, o->why));
    json_array_append_new(list, row);
  }
  return list;
}

static json_t *json_tensor(sp_ctx *ctx, const sp_report_tensor *t) {
  json_t *row = json_object();
  json_object_set_new(row, "name", text_or_null(ctx, t->name));
  json_object_set_new(row, "operator", text_or_null(ctx, t->op));
  json_object_set_new(row, "shape", text_or_null(ctx, t->shape));
  json_object_set_new(row, "relation", text_or_null(ctx, t->relation));
  json_object_set_new(row, "sequential", text_or_null(ctx, t->sequential));
  json_object_set_new(row, "why", text_or_null(ctx, t->why));
  json_object_set_new(row, "nearest", text_or_null(ctx, t->nearest));
  json_object_set_new(row, "file", text_or_null(ctx, t->pos.source_file));
  json_object_set_new(row, "line", number_or_null(t->pos.source_line));
  json_object_set_new(row, "op_name", text_or_null(ctx, t->pos.op_name));
  json_object_set_new(row, "dump_file", text_or_null(ctx, t->pos.dump.file));
  json_object_set_new(row, "dump_line", number_or_null(t->pos.dump.line));
  return row;
}

static json_t *json_frontier(sp_ctx *ctx, const sp_report *report) {
  json_t *list = json_array();
  for (size_t i = 0; report && i < report->n_frontier; i++) {
    json_array_append_new(
        list, json_tensor(ctx, &report->tensors[report->frontier[i]]));
  }
  return list;
}

static json_t *json_tensors(sp_ctx *ctx, const sp_report *report) {
  json_t *list = json_array();
  for (size_t i = 0; i < report->n_tensors; i++) {
    json_array_append_new(list, json_tensor(ctx, &report->tensors[i]));
  }
  return list;
}

static json_t *json_assumptions(sp_ctx *ctx, const sp_report *report) {
  json_t *list = json_array();
  for (size_t i = 0; report && i < report->n_assumptions; i++) {
    json_array_append_new(list, text_or_null(ctx, report->assumptions[i]));
  }
  return list;
}

static json_t *json_stats(const cli_outcome *outcome) {
  static const sp_report_stats none;
  const sp_report_stats *s = outcome->report ? &outcome->report->stats : &none;
  json_t *o = json_object();
  json_object_set_new(o, "seconds", json_real(outcome->seconds));
  json_object_set_new(o, "read_seconds", json_real(outcome->read_seconds));
  json_object_set_new(o, "solver_seconds", json_real(s->solver_seconds));
  json_object_set_new(o, "obligations",
                      json_integer((json_int_t)s->obligations));
  json_object_set_new(o, "distinct", json_integer((json_int_t)s->distinct));
  json_object_set_new(o, "cached", json_integer((json_int_t)s->cached));
  json_object_set_new(o, "peak_bytes",
                      json_integer((json_int_t)outcome->peak_bytes));
  json_object_set_new(o, "sequential_tensors",
                      json_integer(s->sequential_tensors));
  json_object_set_new(o, "distributed_tensors",
                      json_integer(s->distributed_tensors));
  json_object_set_new(o, "views", json_integer(s->views));
  json_object_set_new(o, "matched", json_integer(s->matched));
  json_object_set_new(o, "unrelated", json_integer(s->unrelated));
  return o;
}

static const char *error_kind(sp_code code) {
  switch (code) {
  case SP_OK:
    break;
  case SP_ERR_INPUT:
    return "input";
  case SP_ERR_USAGE:
    return "usage";
  case SP_ERR_MEMORY:
    return "memory";
  case SP_ERR_LIMIT:
    return "limit";
  case SP_ERR_UNKNOWN:
    return "unknown";
  case SP_ERR_INTERNAL:
    return "internal";
  }
  return "none";
}

static json_t *json_error(sp_ctx *ctx, const sp_error *error) {
  if (!error) {
    return json_null();
  }
  json_t *o = json_object();
  json_object_set_new(o, "kind", json_string(error_kind(error->code)));
  json_object_set_new(o, "message", text_or_null(ctx, error->message));
  json_object_set_new(o, "hint",
                      text_or_null(ctx, *error->hint ? error->hint : NULL));
  json_object_set_new(o, "file", text_or_null(ctx, error->loc.file));
  json_object_set_new(o, "line", number_or_null(error->loc.line));
  json_object_set_new(o, "column", number_or_null(error->loc.column));
  json_object_set_new(o, "byte",
                      error->loc.has_byte
                          ? json_integer((json_int_t)error->loc.byte)
                          : json_null());
  return o;
}

static json_t *json_fault(sp_ctx *ctx, const sp_report *report) {
  const sp_fault *f = report ? report->fault : NULL;
  if (!f) {
    return json_null();
  }
  json_t *o = json_object();
  json_object_set_new(o, "operator", text_or_null(ctx, f->name));
  json_object_set_new(o, "op", text_or_null(ctx, f->op));
  json_object_set_new(o, "file", text_or_null(ctx, f->pos.source_file));
  json_object_set_new(o, "line", number_or_null(f->pos.source_line));
  json_object_set_new(o, "op_name", text_or_null(ctx, f->pos.op_name));
  json_object_set_new(o, "dump_line", number_or_null(f->pos.dump.line));
  json_object_set_new(o, "sentence", text_or_null(ctx, f->sentence));
  json_object_set_new(o, "nearest", text_or_null(ctx, f->sequential));
  return o;
}

/* JSON has no infinities and no NaN: they are texts. */
static json_t *json_value(double v) {
  return isfinite(v) ? json_real(v)
                     : json_string(isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
}

static json_t *json_index(const int64_t *v, uint32_t n) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < n; i++) {
    json_array_append_new(list, json_integer((json_int_t)v[i]));
  }
  return list;
}

static json_t *json_counterexample(sp_ctx *ctx, const sp_report *report) {
  const sp_counterexample *c = report ? report->counterexample : NULL;
  if (!c) {
    return json_null();
  }
  json_t *o = json_object();
  json_object_set_new(o, "output", json_integer(c->output));
  json_object_set_new(o, "name", text_or_null(ctx, c->name));
  json_object_set_new(o, "rank", json_integer((json_int_t)c->rank));
  json_object_set_new(o, "local_index", json_index(c->local_index, c->n_dims));
  json_object_set_new(o, "global_index",
                      json_index(c->global_index, c->n_dims));
  json_object_set_new(o, "expected", json_value(c->expected));
  json_object_set_new(o, "got", json_value(c->got));
  json_object_set_new(o, "confirmed", json_boolean(c->confirmed));
  json_object_set_new(o, "inputs", text_or_null(ctx, c->inputs));
  json_object_set_new(o, "seed", json_integer((json_int_t)c->seed));
  return o;
}

static json_t *json_report(sp_ctx *ctx, const cli_values *values,
                           const cli_outcome *outcome) {
  const sp_report *report = outcome->report;
  const char *verdict = cli_verdict(outcome);
  const char *sentence = report           ? report->sentence
                         : outcome->error ? outcome->error->message
                                          : NULL;
  json_t *o = json_object();
  json_object_set_new(o, "version", json_string(SP_VERSION));
  json_object_set_new(o, "verdict", text_or_null(ctx, verdict));
  json_object_set_new(o, "exit_code", json_integer(outcome->exit_code));
  json_object_set_new(o, "sentence", text_or_null(ctx, sentence));
  json_object_set_new(o, "before", text_or_null(ctx, outcome->before));
  json_object_set_new(o, "after", text_or_null(ctx, outcome->after));
  json_object_set_new(o, "outputs", json_outputs(ctx, report));
  json_object_set_new(o, "assumptions", json_assumptions(ctx, report));
  json_object_set_new(o, "frontier", json_frontier(ctx, report));
  json_object_set_new(o, "fault", json_fault(ctx, report));
  json_object_set_new(o, "counterexample", json_counterexample(ctx, report));
  json_object_set_new(o, "not_run",
                      text_or_null(ctx, report ? report->not_run : NULL));
  json_object_set_new(o, "error", json_error(ctx, outcome->error));
  json_object_set_new(o, "stats", json_stats(outcome));
  if (values->explain && report) {
    json_object_set_new(o, "tensors", json_tensors(ctx, report));
  }
  return o;
}

static bool dump(FILE *f, const void *report) {
  return json_dumpf(report, f, JSON_INDENT(2)) == 0 && fputc('\n', f) != EOF;
}

bool cli_write_json_to(sp_ctx *ctx, const char *path, const void *json) {
  return cli_write_file(ctx, path, dump, json);
}

bool cli_write_json(sp_ctx *ctx, const cli_values *values,
                    const cli_outcome *outcome) {
  json_t *report = json_report(ctx, values, outcome);
  bool ok = cli_write_json_to(ctx, values->json, report);
  json_decref(report);
  return ok;
}
