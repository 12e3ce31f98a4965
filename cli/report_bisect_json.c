/* report_bisect_json.c: the outcome of a bisection as JSON. */
#include "cli/bisect.h"
#include "cli/report_json.h"

static const char *const verdicts[] = {
    [SP_REFINES] = "REFINES",
    [SP_VIOLATION] = "VIOLATION",
    [SP_UNPROVEN] = "UNPROVEN",
};

static json_t *json_texts(sp_ctx *ctx, size_t n, const char *const *v) {
  json_t *list = json_array();
  for (size_t i = 0; i < n; i++) {
    json_array_append_new(list, cli_json_text(ctx, v[i]));
  }
  return list;
}

static json_t *json_check(sp_ctx *ctx, const cli_bisection *b,
                          const cli_step *s) {
  json_t *o = json_object();
  json_object_set_new(o, "from", json_integer((json_int_t)s->from));
  json_object_set_new(o, "to", json_integer((json_int_t)s->to));
  json_object_set_new(o, "step",
                      cli_json_text(ctx, cli_bisection_doing(ctx, b, s->to)));
  json_object_set_new(o, "verdict", json_string(verdicts[s->verdict]));
  json_object_set_new(o, "why", cli_json_text(ctx, s->why));
  json_object_set_new(o, "seconds", json_real(s->seconds));
  return o;
}

static json_t *json_steps(sp_ctx *ctx, const cli_bisection *b, size_t n,
                          const cli_step *v) {
  json_t *list = json_array();
  for (size_t i = 0; i < n; i++) {
    json_array_append_new(list, json_check(ctx, b, &v[i]));
  }
  return list;
}

static json_t *json_dumps_of(sp_ctx *ctx, const cli_bisection *b) {
  json_t *list = json_array();
  for (size_t i = 0; i < b->n_stages; i++) {
    const cli_stage *s = &b->stages[i];
    json_t *o = json_object();
    json_object_set_new(o, "file", cli_json_text(ctx, s->dump.name));
    json_object_set_new(o, "number",
                        cli_json_text(ctx, cli_bisection_number(ctx, s)));
    json_array_append_new(list, o);
  }
  return list;
}

bool cli_write_bisection(sp_ctx *ctx, const char *path,
                         const cli_bisection *b) {
  json_t *o = json_object();
  json_object_set_new(o, "version", json_string(SP_VERSION));
  json_object_set_new(o, "verdict", json_string(verdicts[b->verdict]));
  json_object_set_new(o, "exit_code", json_integer(b->exit_code));
  json_object_set_new(o, "sentence",
                      cli_json_text(ctx, cli_bisection_sentence(ctx, b)));
  json_object_set_new(o, "module", cli_json_text(ctx, b->module));
  json_object_set_new(o, "dumps", json_dumps_of(ctx, b));
  json_object_set_new(o, "unread", json_texts(ctx, b->n_unread, b->unread));
  json_object_set_new(o, "partitioned",
                      b->partitioned ? json_integer((json_int_t)b->partitioned)
                                     : json_null());
  json_object_set_new(o, "steps",
                      json_steps(ctx, b, b->n_stages - 1, b->steps));
  json_object_set_new(o, "longer", json_steps(ctx, b, b->n_longer, b->longer));
  json_object_set_new(o, "broken",
                      b->broken ? json_check(ctx, b, b->broken) : json_null());
  json_object_set_new(o, "report",
                      b->broken
                          ? cli_json_report(ctx, true, &b->broken->outcome)
                          : json_null());
  json_object_set_new(o, "assumptions",
                      json_texts(ctx, b->assumptions.n, b->assumptions.v));
  bool ok = cli_write_json_to(ctx, path, o);
  json_decref(o);
  return ok;
}
