/* identity.c: two modules of the same devices. Read sp_problem_identity.
 *
 * Each rank gets the same inputs on both sides and must give the same results.
 * The left program talks to other devices, too, so its tensors have the rank
 * as a coordinate like those of the right one (sp_problem.ranked,
 * docs/decisions/004-two-distributed-programs.md). Where neither program asks
 * for a rank, all ranks do the same, and one of them is looked at.
 */
#include "solve/problem.h"

#include "encode/manual.h"

#include <string.h>

/* ---- what a program knows of other devices ---- */

/* shard_map: on the inside devices have tensors of their own. */
static bool is_manual_border(const sp_node *node) {
  return spi_border_of(node) != SPI_BORDER_NONE;
}

bool sp_node_knows_ranks(const sp_node *node) {
  return strcmp(node->op, "hlo:partition-id") == 0 ||
         sp_node_attr(node, "replica_groups") ||
         sp_node_attr(node, "source_target_pairs") || is_manual_border(node);
}

/* Regions nest as deep as the reader lets them. */
static bool any_node(const sp_program *p, bool (*holds)(const sp_node *)) {
  for (uint32_t i = 0; i < p->n_nodes; i++) {
    const sp_node *node = &p->nodes[i];
    if (holds(node)) {
      return true;
    }
    for (uint32_t k = 0; k < node->n_attrs; k++) {
      if (node->attrs[k].kind == SP_ATTR_REGION &&
          any_node(node->attrs[k].u.region, holds)) {
        return true;
      }
    }
  }
  return false;
}

bool sp_program_knows_ranks(const sp_program *p) {
  return any_node(p, sp_node_knows_ranks);
}

bool sp_program_is_manual(const sp_program *p) {
  return any_node(p, is_manual_border);
}

/* ---- which ranks hold copies ---- */

/* Padding is nobody's copy: then, and where blocks are not of one size, NULL.
 */
static const int64_t *homes(sp_ctx *ctx, const sp_layout *l,
                            const sp_shape *global) {
  int64_t n;
  const int64_t *first = sp_layout_owners(ctx, l, global, &n);
  if (!first) {
    return NULL;
  }
  int64_t *home = sp_alloc_n(ctx, (size_t)l->ranks, sizeof *home);
  bool copies = false;
  for (int64_t r = 0; r < l->ranks; r++) {
    home[r] = first[sp_layout_tile(l, global, r)];
    copies = copies || home[r] != r;
  }
  return copies ? home : NULL;
}

/* x: the same parameter or result in the problem across the partitioner. */
static const sp_origin *origin_of(sp_ctx *ctx, const sp_problem *cut,
                                  const sp_placed *x, const sp_shape *local) {
  if (!x->layout ||
      !sp_shape_equal(&cut->dist->tensors[x->dist].shape, local)) {
    return NULL;
  }
  sp_origin *o = sp_alloc(ctx, sizeof *o);
  o->global = cut->seq->tensors[x->seq].shape;
  o->layout = x->layout;
  o->home = homes(ctx, x->layout, &o->global);
  return o;
}

/* ---- the problem ---- */

static noreturn void signatures_differ(sp_ctx *ctx, const sp_program *after,
                                       const char *what) {
  sp_raise(ctx, SP_ERR_INPUT, (sp_loc){.file = after->file},
           "dumps between passes have the same parameters and results, but "
           "for the partitioner's",
           "the two modules differ in %s", what);
}

static sp_placed same(sp_ctx *ctx, const sp_program *p, const sp_program *d,
                      uint32_t v, uint32_t w, const char *name) {
  const sp_shape *a = &p->tensors[v].shape, *b = &d->tensors[w].shape;
  if (!sp_shape_equal(a, b)) {
    signatures_differ(ctx, d, name);
  }
  sp_placed x = {.seq = v, .dist = w, .name = name};
  x.layout = sp_layout_of_sharding(ctx, NULL, a, b, d->partitions,
                                   d->nodes[d->tensors[w].node].pos.dump, name,
                                   &x.why);
  return x;
}

static const sp_program *on_one_device(sp_ctx *ctx, const sp_program *p) {
  sp_program *one = sp_alloc(ctx, sizeof *one);
  *one = *p;
  one->partitions = 1;
  return one;
}

sp_problem sp_problem_identity(sp_ctx *ctx, const sp_program *p,
                               const sp_program *d, const sp_problem *cut) {
  bool ranks = sp_program_knows_ranks(p) || sp_program_knows_ranks(d);
  if (ranks && p->partitions != d->partitions) {
    signatures_differ(ctx, d, "the number of partitions");
  }
  if (!ranks) {
    p = on_one_device(ctx, p);
    d = on_one_device(ctx, d);
  }
  if (p->n_params != d->n_params || p->n_results != d->n_results) {
    signatures_differ(ctx, d, "the number of parameters or results");
  }
  sp_problem x = {.seq = p, .dist = d, .versions = true};
  x.ranked = ranks && d->partitions > 1;
  sp_placed *given = sp_alloc_n(ctx, d->n_params + 1u, sizeof *given);
  for (uint32_t i = 0; i < d->n_params; i++) {
    given[i] = same(
        ctx, p, d, p->params[i], d->params[i],
        sp_format(ctx, "parameter %u (%s)", i, d->tensors[d->params[i]].name));
    if (x.ranked && cut && i < cut->n_given) {
      given[i].origin =
          origin_of(ctx, cut, &cut->given[i], &d->tensors[d->params[i]].shape);
    }
  }
  sp_placed *promised = sp_alloc_n(ctx, d->n_results + 1u, sizeof *promised);
  for (uint32_t k = 0; k < d->n_results; k++) {
    promised[k] = same(ctx, p, d, p->results[k], d->results[k],
                       sp_format(ctx, "result %u", k));
    if (x.ranked && cut && k < cut->n_promised) {
      promised[k].origin = origin_of(ctx, cut, &cut->promised[k],
                                     &d->tensors[d->results[k]].shape);
    }
  }
  x.given = given;
  x.n_given = d->n_params;
  x.promised = promised;
  x.n_promised = d->n_results;
  return x;
}
