/* report_sarif.c: what is wrong, for code hosts: SARIF 2.1.0 (OASIS). Read
 * sarif_log, near the end. A violation is one result at the fault; what is not
 * proved is a warning for each tensor at which the proof stopped. */
#include "cli/report.h"

#include "base/vec.h"
#include "cli/message.h"

#include <jansson.h>
#include <string.h>

enum { RULE_VIOLATION, RULE_UNPROVEN };

static json_t *text(sp_ctx *ctx, const char *s) {
  return json_string(cli_clean(ctx, s ? s : ""));
}

static json_t *message(sp_ctx *ctx, const char *s) {
  json_t *o = json_object();
  json_object_set_new(o, "text", text(ctx, s));
  return o;
}

/* A path as a URI reference: relative to the checkout, or file:///. */
static const char *uri_of(sp_ctx *ctx, const char *path) {
  sp_str s = {0};
  sp_str_add(ctx, &s, *path == '/' ? "file://" : "");
  for (const char *p = path; *p; p++) {
    unsigned char c = (unsigned char)*p;
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 (c >= '0' && c <= '9') || strchr("/-._~", c);
    if (plain) {
      sp_str_addn(ctx, &s, p, 1);
    } else {
      sp_str_addf(ctx, &s, "%%%02X", c);
    }
  }
  return s.v ? s.v : "";
}

static json_t *physical(sp_ctx *ctx, const char *file, uint32_t line) {
  json_t *where = json_object(), *artifact = json_object();
  json_object_set_new(artifact, "uri", text(ctx, uri_of(ctx, file)));
  json_object_set_new(where, "artifactLocation", artifact);
  if (line) {
    json_t *region = json_object();
    json_object_set_new(region, "startLine", json_integer(line));
    json_object_set_new(where, "region", region);
  }
  return where;
}

/* At the user's source, else at the dump. */
static json_t *location(sp_ctx *ctx, const sp_pos *pos, const char *dump,
                        const char *name) {
  json_t *o = json_object();
  json_object_set_new(
      o, "physicalLocation",
      pos->source_file ? physical(ctx, pos->source_file, pos->source_line)
                       : physical(ctx, pos->dump.file ? pos->dump.file : dump,
                                  pos->dump.line));
  json_t *logical = json_object(), *list = json_array();
  json_object_set_new(logical, "name", text(ctx, name));
  if (pos->op_name) {
    json_object_set_new(logical, "fullyQualifiedName", text(ctx, pos->op_name));
  }
  json_array_append_new(list, logical);
  json_object_set_new(o, "logicalLocations", list);
  return o;
}

static json_t *in_dump(sp_ctx *ctx, const sp_pos *pos, const char *dump) {
  json_t *list = json_array(), *o = json_object();
  json_object_set_new(
      o, "physicalLocation",
      physical(ctx, pos->dump.file ? pos->dump.file : dump, pos->dump.line));
  json_object_set_new(o, "message",
                      message(ctx, "the instruction in the dump"));
  json_array_append_new(list, o);
  return list;
}

static json_t *result(sp_ctx *ctx, const cli_outcome *outcome, int rule,
                      const char *sentence, const sp_pos *pos,
                      const char *name) {
  json_t *o = json_object(), *places = json_array();
  json_object_set_new(
      o, "ruleId",
      json_string(rule == RULE_VIOLATION ? "violation" : "unproven"));
  json_object_set_new(o, "ruleIndex", json_integer(rule));
  json_object_set_new(
      o, "level", json_string(rule == RULE_VIOLATION ? "error" : "warning"));
  json_object_set_new(o, "message", message(ctx, sentence));
  json_array_append_new(places, location(ctx, pos, outcome->after, name));
  json_object_set_new(o, "locations", places);
  if (pos->source_file && pos->dump.line) {
    json_object_set_new(o, "relatedLocations",
                        in_dump(ctx, pos, outcome->after));
  }
  return o;
}

static json_t *results(sp_ctx *ctx, const cli_outcome *outcome) {
  json_t *list = json_array();
  const sp_report *r = outcome->report;
  if (!r) {
    if (cli_verdict(outcome)) { /* something without a meaning */
      sp_pos pos = {.dump = outcome->error->loc};
      json_array_append_new(list, result(ctx, outcome, RULE_UNPROVEN,
                                         outcome->error->message, &pos, ""));
    }
    return list;
  }
  if (r->fault) {
    sp_pos pos = r->fault->pos;
    pos.dump.file =
        !pos.dump.file && r->fault->before ? outcome->before : pos.dump.file;
    json_array_append_new(list, result(ctx, outcome, RULE_VIOLATION,
                                       r->sentence, &pos, r->fault->name));
  }
  for (size_t i = 0; r->verdict == SP_UNPROVEN && i < r->n_frontier; i++) {
    const sp_report_tensor *t = &r->tensors[r->frontier[i]];
    const char *sentence = sp_format(
        ctx, "%s = %s %s could not be related to the sequential program%s%s",
        t->name, t->op, t->shape, t->why ? ": " : "", t->why ? t->why : "");
    json_array_append_new(
        list, result(ctx, outcome, RULE_UNPROVEN, sentence, &t->pos, t->name));
  }
  return list;
}

static json_t *rule(sp_ctx *ctx, const char *id, const char *what) {
  json_t *o = json_object();
  json_object_set_new(o, "id", json_string(id));
  json_object_set_new(o, "shortDescription", message(ctx, what));
  return o;
}

static json_t *tool(sp_ctx *ctx) {
  json_t *o = json_object(), *driver = json_object(), *rules = json_array();
  json_object_set_new(driver, "name", json_string("shardproof"));
  json_object_set_new(driver, "version", json_string(SP_VERSION));
  json_array_append_new(
      rules, rule(ctx, "violation",
                  "the partitioned program computes something else"));
  json_array_append_new(
      rules,
      rule(ctx, "unproven", "no relation to the sequential program was found"));
  json_object_set_new(driver, "rules", rules);
  json_object_set_new(o, "driver", driver);
  return o;
}

/* An input that cannot be read is a notification, not a result. */
static json_t *invocation(sp_ctx *ctx, const cli_outcome *outcome) {
  json_t *o = json_object();
  bool ok = cli_verdict(outcome) != NULL;
  json_object_set_new(o, "executionSuccessful", json_boolean(ok));
  json_object_set_new(o, "exitCode", json_integer(outcome->exit_code));
  if (!ok && outcome->error) {
    json_t *note = json_object(), *list = json_array();
    const sp_loc *loc = &outcome->error->loc;
    json_object_set_new(note, "level", json_string("error"));
    json_object_set_new(note, "message", message(ctx, outcome->error->message));
    if (loc->file) {
      json_t *where = json_object(), *places = json_array();
      json_object_set_new(where, "physicalLocation",
                          physical(ctx, loc->file, loc->line));
      json_array_append_new(places, where);
      json_object_set_new(note, "locations", places);
    }
    json_array_append_new(list, note);
    json_object_set_new(o, "toolExecutionNotifications", list);
  }
  return o;
}

static json_t *sarif_log(sp_ctx *ctx, const cli_outcome *outcome) {
  json_t *log = json_object(), *run = json_object(), *runs = json_array(),
         *invocations = json_array();
  json_object_set_new(
      log, "$schema",
      json_string("https://json.schemastore.org/sarif-2.1.0.json"));
  json_object_set_new(log, "version", json_string("2.1.0"));
  json_object_set_new(run, "tool", tool(ctx));
  json_array_append_new(invocations, invocation(ctx, outcome));
  json_object_set_new(run, "invocations", invocations);
  json_object_set_new(run, "results", results(ctx, outcome));
  json_array_append_new(runs, run);
  json_object_set_new(log, "runs", runs);
  return log;
}

bool cli_write_sarif(sp_ctx *ctx, const cli_values *values,
                     const cli_outcome *outcome) {
  json_t *log = sarif_log(ctx, outcome);
  bool ok = cli_write_json_to(ctx, values->sarif, log);
  json_decref(log);
  return ok;
}
