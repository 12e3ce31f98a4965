/* report_json.c: the report for programs; docs/json.md is its manual and
 * docs/report.schema.json its schema (a test compares them). Read json_report
 * first, then cli_write_json. Keys are in a fixed order, and a key that does
 * not apply is there with null, so that readers need not ask. */
#include "cli/report_json.h"

#include "cli/message.h"
#include "cli/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* jansson takes UTF-8 only; a hostile name may be anything. */
json_t *cli_json_text(sp_ctx *ctx, const char *text) {
  return text ? json_string(cli_clean(ctx, text)) : json_null();
}

json_t *cli_json_position(uint64_t n) {
  return n ? json_integer((json_int_t)n) : json_null();
}

static json_t *json_outputs(sp_ctx *ctx, const sp_report *report) {
  json_t *list = json_array();
  for (size_t i = 0; report && i < report->n_outputs; i++) {
    const sp_report_output *o = &report->outputs[i];
    json_t *row = json_object();
    json_object_set_new(row, "index", json_integer(o->index));
    json_object_set_new(row, "name", cli_json_text(ctx, o->name));
    json_object_set_new(row, "shape", cli_json_text(ctx, o->shape));
    json_object_set_new(row, "status",
                        json_string(o->proved ? "proved" : "unproven"));
    json_object_set_new(row, "promised", cli_json_text(ctx, o->promised));
    json_object_set_new(row, "relation", cli_json_text(ctx, o->relation));
    json_object_set_new(row, "why", cli_json_text(ctx, o->why));
    json_array_append_new(list, row);
  }
  return list;
}

static const char *kind_name(const sp_report_tensor *t) {
  static const char *const names[] = {
      [SP_RELATION_NONE] = "none",
      [SP_RELATION_PARTIAL] = "partial",
      [SP_RELATION_REPLICATE] = "replicate",
      [SP_RELATION_SHARD] = "shard",
      [SP_RELATION_MAP] = "map",
      [SP_RELATION_FORMULA] = "formula",
  };
  return names[t->kind];
}

static json_t *json_cuts(const sp_report_tensor *t) {
  json_t *list = json_array();
  for (size_t i = 0; i < t->n_cuts; i++) {
    json_t *row = json_object();
    json_object_set_new(row, "dim", json_integer(t->cuts[i].dim));
    json_object_set_new(row, "parts",
                        json_integer((json_int_t)t->cuts[i].parts));
    json_object_set_new(row, "coordinate", json_integer(t->cuts[i].coordinate));
    json_array_append_new(list, row);
  }
  return list;
}

static json_t *json_sources(sp_ctx *ctx, const sp_report_tensor *t) {
  json_t *list = json_array();
  for (size_t i = 0; i < t->n_sources; i++) {
    json_array_append_new(list, cli_json_text(ctx, t->sources[i]));
  }
  return list;
}

static json_t *json_obligations(sp_ctx *ctx, const sp_report_tensor *t) {
  json_t *list = json_array();
  for (size_t i = 0; i < t->n_obligations; i++) {
    const sp_report_obligation *o = &t->obligations[i];
    json_t *row = json_object();
    json_object_set_new(row, "rule", cli_json_text(ctx, o->rule));
    json_object_set_new(row, "goal", cli_json_text(ctx, o->goal));
    json_object_set_new(row, "given", json_integer(o->n_given));
    json_array_append_new(list, row);
  }
  return list;
}

static json_t *json_tensor(sp_ctx *ctx, const sp_report_tensor *t) {
  json_t *row = json_object();
  json_object_set_new(row, "name", cli_json_text(ctx, t->name));
  json_object_set_new(row, "operator", cli_json_text(ctx, t->op));
  json_object_set_new(row, "shape", cli_json_text(ctx, t->shape));
  json_object_set_new(row, "relation", cli_json_text(ctx, t->relation));
  json_object_set_new(row, "sequential", cli_json_text(ctx, t->sequential));
  json_object_set_new(row, "why", cli_json_text(ctx, t->why));
  json_object_set_new(row, "nearest", cli_json_text(ctx, t->nearest));
  json_object_set_new(row, "like", cli_json_text(ctx, t->like));
  json_object_set_new(row, "file", cli_json_text(ctx, t->pos.source_file));
  json_object_set_new(row, "line", cli_json_position(t->pos.source_line));
  json_object_set_new(row, "op_name", cli_json_text(ctx, t->pos.op_name));
  json_object_set_new(row, "dump_file", cli_json_text(ctx, t->pos.dump.file));
  json_object_set_new(row, "dump_line", cli_json_position(t->pos.dump.line));
  json_object_set_new(row, "kind", json_string(kind_name(t)));
  json_object_set_new(row, "partial", cli_json_text(ctx, t->partial));
  json_object_set_new(row, "cuts", json_cuts(t));
  json_object_set_new(row, "sources", json_sources(ctx, t));
  json_object_set_new(row, "obligations", json_obligations(ctx, t));
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
    json_array_append_new(list, cli_json_text(ctx, report->assumptions[i]));
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
  json_object_set_new(o, "run_seconds", json_real(s->run_seconds));
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
  json_object_set_new(o, "message", cli_json_text(ctx, error->message));
  json_object_set_new(o, "hint",
                      cli_json_text(ctx, *error->hint ? error->hint : NULL));
  json_object_set_new(o, "file", cli_json_text(ctx, error->loc.file));
  json_object_set_new(o, "line", cli_json_position(error->loc.line));
  json_object_set_new(o, "column", cli_json_position(error->loc.column));
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
  json_object_set_new(o, "side", json_string(f->before ? "before" : "after"));
  json_object_set_new(o, "operator", cli_json_text(ctx, f->name));
  json_object_set_new(o, "op", cli_json_text(ctx, f->op));
  json_object_set_new(o, "file", cli_json_text(ctx, f->pos.source_file));
  json_object_set_new(o, "line", cli_json_position(f->pos.source_line));
  json_object_set_new(o, "op_name", cli_json_text(ctx, f->pos.op_name));
  json_object_set_new(o, "dump_file", cli_json_text(ctx, f->pos.dump.file));
  json_object_set_new(o, "dump_line", cli_json_position(f->pos.dump.line));
  json_object_set_new(o, "sentence", cli_json_text(ctx, f->sentence));
  json_object_set_new(o, "nearest", cli_json_text(ctx, f->sequential));
  return o;
}

/* JSON has no infinities and no NaN: they are texts. */
static json_t *json_value(double v) {
  return isfinite(v) ? json_real(v)
                     : json_string(isnan(v) ? "nan"
                                   : v > 0  ? "inf"
                                            : "-inf");
}

static json_t *json_index(const int64_t *v, uint32_t n) {
  json_t *list = json_array();
  for (uint32_t i = 0; i < n; i++) {
    json_array_append_new(list, json_integer((json_int_t)v[i]));
  }
  return list;
}

static json_t *json_matrix(const sp_report_window *w, const double *v) {
  json_t *rows = json_array();
  for (uint32_t i = 0; i < w->rows; i++) {
    json_t *row = json_array();
    for (uint32_t j = 0; j < w->columns; j++) {
      json_array_append_new(row, json_value(v[i * w->columns + j]));
    }
    json_array_append_new(rows, row);
  }
  return rows;
}

static json_t *json_window(const sp_report_window *w) {
  json_t *o = json_object();
  json_object_set_new(o, "row", json_integer((json_int_t)w->row));
  json_object_set_new(o, "column", json_integer((json_int_t)w->column));
  json_t *ranks = json_array();
  for (size_t r = 0; r < w->n_ranks; r++) {
    size_t at = r * w->rows * w->columns;
    json_t *rank = json_object();
    json_object_set_new(rank, "rank", json_integer((json_int_t)w->ranks[r]));
    json_object_set_new(rank, "expected", json_matrix(w, w->expected + at));
    json_object_set_new(rank, "got", json_matrix(w, w->got + at));
    json_array_append_new(ranks, rank);
  }
  json_object_set_new(o, "ranks", ranks);
  return o;
}

static json_t *json_coordinates(sp_ctx *ctx, const sp_report *report,
                                int64_t ranks) {
  json_t *list = json_array();
  for (size_t i = 0; i < report->n_coordinates; i++) {
    const sp_report_coordinate *c = &report->coordinates[i];
    json_t *row = json_object();
    json_object_set_new(row, "text", cli_json_text(ctx, c->text));
    json_object_set_new(row, "by_rank",
                        c->by_rank ? json_index(c->by_rank, (uint32_t)ranks)
                                   : json_null());
    json_array_append_new(list, row);
  }
  return list;
}

static json_t *json_counterexample(sp_ctx *ctx, const sp_report *report,
                                   bool all) {
  const sp_counterexample *c = report ? report->counterexample : NULL;
  if (!c) {
    return json_null();
  }
  json_t *o = json_object();
  json_object_set_new(o, "output", json_integer(c->output));
  json_object_set_new(o, "name", cli_json_text(ctx, c->name));
  json_object_set_new(o, "rank", json_integer((json_int_t)c->rank));
  json_object_set_new(o, "local_index", json_index(c->local_index, c->n_dims));
  json_object_set_new(o, "global_index",
                      json_index(c->global_index, c->n_dims));
  json_object_set_new(o, "dtype", json_string(sp_dtype_name(c->dtype)));
  json_object_set_new(o, "expected", json_value(c->expected));
  json_object_set_new(o, "got", json_value(c->got));
  json_object_set_new(o, "confirmed", json_boolean(c->confirmed));
  json_object_set_new(o, "sampled", json_boolean(c->sampled));
  json_object_set_new(o, "level",
                      json_string(c->made_up ? "operator" : "program"));
  json_object_set_new(o, "random", cli_json_text(ctx, c->drawn));
  json_object_set_new(o, "inputs", cli_json_text(ctx, c->inputs));
  json_object_set_new(o, "seed", json_integer((json_int_t)c->seed));
  if (all && c->window.n_ranks) {
    json_object_set_new(o, "window", json_window(&c->window));
  }
  return o;
}

json_t *cli_json_report(sp_ctx *ctx, bool all, const cli_outcome *outcome) {
  const sp_report *report = outcome->report;
  const char *verdict = cli_verdict(outcome);
  const char *sentence = report           ? report->sentence
                         : outcome->error ? outcome->error->message
                                          : NULL;
  json_t *o = json_object();
  json_object_set_new(o, "version", json_string(SP_VERSION));
  json_object_set_new(o, "verdict", cli_json_text(ctx, verdict));
  json_object_set_new(o, "exit_code", json_integer(outcome->exit_code));
  json_object_set_new(o, "sentence", cli_json_text(ctx, sentence));
  json_object_set_new(o, "before", cli_json_text(ctx, outcome->before));
  json_object_set_new(o, "after", cli_json_text(ctx, outcome->after));
  json_object_set_new(o, "outputs", json_outputs(ctx, report));
  json_object_set_new(o, "assumptions", json_assumptions(ctx, report));
  json_object_set_new(o, "frontier", json_frontier(ctx, report));
  json_object_set_new(o, "fault", json_fault(ctx, report));
  json_object_set_new(o, "counterexample",
                      json_counterexample(ctx, report, all));
  json_object_set_new(o, "not_run",
                      cli_json_text(ctx, report ? report->not_run : NULL));
  json_object_set_new(o, "error", json_error(ctx, outcome->error));
  json_object_set_new(o, "stats", json_stats(outcome));
  if (all && report) {
    json_object_set_new(o, "tensors", json_tensors(ctx, report));
    json_object_set_new(
        o, "coordinates",
        json_coordinates(ctx, report, outcome->after_program->partitions));
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
  json_t *report = cli_json_report(ctx, values->explain, outcome);
  bool ok = cli_write_json_to(ctx, values->json, report);
  json_decref(report);
  return ok;
}
