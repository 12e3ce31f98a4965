/* campaign_shrink.c: read camp_case_layer, then camp_shrink. */
#include "tests/campaign_judge.h"

#include <string.h>

enum { MAX_TRIES = 400 };

/* ---- edits ---- */

static void drop_result(camp_program *p, uint32_t at) {
  if (at < p->results.n && p->results.n > 1) {
    p->results.n--;
    memmove(&p->results.v[at], &p->results.v[at + 1],
            (p->results.n - at) * sizeof *p->results.v);
  }
}

static void cut(camp_program *p, uint32_t at) {
  camp_node *n = &p->nodes.v[at];
  n->op = CAMP_OP_PARAMETER;
  n->n_in = 0;
  n->n_x = 0;
}

static void bypass(camp_program *p, uint32_t at, uint32_t k) {
  uint32_t instead = p->nodes.v[at].in[k];
  for (size_t i = at + 1; i < p->nodes.n; i++) {
    for (uint32_t j = 0; j < p->nodes.v[i].n_in; j++) {
      uint32_t *in = &p->nodes.v[i].in[j];
      *in = *in == at ? instead : *in;
    }
  }
  for (size_t i = 0; i < p->results.n; i++) {
    p->results.v[i] = p->results.v[i] == at ? instead : p->results.v[i];
  }
}

camp_program *camp_case_layer(sp_ctx *ctx, const camp_case *c) {
  camp_program *p = camp_generate(ctx, c->seed, c->layers > 1);
  for (size_t i = 0; i < c->edits.n; i++) {
    camp_edit e = c->edits.v[i];
    if (e.kind == CAMP_DROP_RESULT) {
      drop_result(p, e.at);
    } else if (e.kind == CAMP_CUT) {
      cut(p, e.at);
    } else {
      bypass(p, e.at, e.k);
    }
  }
  bool *needed = camp_needed(p);
  p->params.n = 0;
  for (uint32_t i = 0; i < p->nodes.n; i++) {
    if (needed[i] && camp_at(p, i)->op == CAMP_OP_PARAMETER) {
      sp_push(ctx, &p->params, i);
    }
  }
  return p;
}

camp_program *camp_case_program(sp_ctx *ctx, const camp_case *c) {
  camp_program *p = camp_case_layer(ctx, c);
  return c->layers > 1 ? camp_repeat(ctx, p, c->seed, c->layers) : p;
}

/* ---- the search ---- */

typedef struct search {
  sp_ctx *ctx;
  camp_case *c;
  camp_judgement now;
  camp_judge_fn judge;
  void *user;
  uint32_t tries;
} search;

static bool try_edit(search *s, camp_edit e) {
  if (s->tries >= MAX_TRIES) {
    return false;
  }
  s->tries++;
  sp_push(s->ctx, &s->c->edits, e);
  camp_judgement j = s->judge(s->user, s->c);
  if (j.finding == s->now.finding) {
    s->now = j;
    return true;
  }
  s->c->edits.n--;
  return false;
}

static bool same_shape(const camp_node *a, const camp_node *b) {
  return a->type == b->type && a->n_dims == b->n_dims &&
         memcmp(a->dims, b->dims, a->n_dims * sizeof *a->dims) == 0;
}

/* One node: a parameter instead, or one of its operands. */
static bool shrink_node(search *s, uint32_t at) {
  camp_program *p = camp_case_layer(s->ctx, s->c);
  const camp_node *n = camp_at(p, at);
  if (!camp_needed(p)[at] || !n->n_in) {
    return false;
  }
  if (try_edit(s, (camp_edit){CAMP_CUT, at, 0})) {
    return true;
  }
  for (uint32_t k = 0; k < n->n_in; k++) {
    if (same_shape(n, camp_at(p, n->in[k])) &&
        try_edit(s, (camp_edit){CAMP_BYPASS, at, k})) {
      return true;
    }
  }
  return false;
}

camp_judgement camp_shrink(sp_ctx *ctx, camp_case *c, camp_judgement was,
                           camp_judge_fn judge, void *user) {
  search s = {ctx, c, was, judge, user, 0};
  camp_program *p = camp_case_layer(ctx, c);
  for (uint32_t k = (uint32_t)p->results.n; k-- > 0;) {
    try_edit(&s, (camp_edit){CAMP_DROP_RESULT, k, 0});
  }
  bool smaller = true;
  while (smaller && s.tries < MAX_TRIES) {
    smaller = false;
    for (uint32_t i = 0; i < p->nodes.n; i++) {
      smaller = shrink_node(&s, i) || smaller;
    }
  }
  return s.now;
}
