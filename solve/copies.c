/* copies.c: which ranks have the same value of a tensor. Read spi_copies.
 *
 * Programs with parts in manual mode have a value of every tensor on every rank
 * (sp_problem.manual). Outside of these parts, and inside of them after
 * reductions over devices, many ranks have the same one.
 *
 * LEMMA. An operator that knows of no ranks gives equal results on equal
 * operands. A collective gives its group's members results that depend on the
 * operands of all members, in order, and, unless it is an all-reduce or an
 * all-gather, on the member's position. What a device cuts from a whole depends
 * on where its block starts; a whole that was put together from blocks, as the
 * definition says (encode/manual.c), is the same on all ranks.
 *
 * So a tensor has on each rank a key, and ranks of equal keys have copies; the
 * first of them is the home of the others, and all reads go there. What has no
 * key by the lemma is not known to be a copy of anything.
 */
#include "solve/state.h"

#include "encode/manual.h"

#include <string.h>

/* Beyond that many ranks copies are not looked for: keys are compared in pairs.
 */
enum { MAX_RANKS = 256 };

typedef struct copies {
  sp_state *s;
  const sp_program *p;
  int64_t n;      /* ranks */
  int64_t **home; /* by tensor */
  int64_t *key;   /* n keys of */
  uint32_t width; /* so many numbers */
} copies;

typedef struct node_check {
  const sp_program *p;
  const sp_node *node;
} node_check;

static void check_node(sp_ctx *ctx, void *arg) {
  const node_check *x = arg;
  sp_op_check(ctx, x->p, x->node);
}

static bool is_input(const sp_node *node) {
  return strcmp(node->op, "hlo:parameter") == 0;
}

/* Of what is malformed or unknown nothing is said. Loops have no row. */
static bool is_known(sp_ctx *ctx, const sp_program *p, const sp_node *node) {
  node_check x = {p, node};
  return is_input(node) || strcmp(node->op, "hlo:while") == 0 ||
         sp_protect(ctx, check_node, &x) == SP_OK;
}

/* Knows of no ranks, and neither do its regions (nested as deep as the reader
 * lets them). */
static bool is_plain(sp_ctx *ctx, const sp_program *p, const sp_node *node) {
  bool ok = is_known(ctx, p, node) && !sp_node_knows_ranks(node);
  for (uint32_t i = 0; i < node->n_attrs && ok; i++) {
    const sp_program *region =
        node->attrs[i].kind == SP_ATTR_REGION ? node->attrs[i].u.region : NULL;
    for (uint32_t k = 0; region && k < region->n_nodes && ok; k++) {
      ok = is_plain(ctx, region, &region->nodes[k]);
    }
  }
  return ok;
}

static void start_keys(copies *c, uint32_t width) {
  c->width = width;
  c->key = sp_scratch(c->s->ctx, (size_t)c->n * (width + 1u) * sizeof *c->key);
}

static int64_t *key_of(copies *c, int64_t rank) {
  return c->key + rank * c->width;
}

static void plain_keys(copies *c, const sp_node *node) {
  start_keys(c, node->n_in);
  for (int64_t r = 0; r < c->n; r++) {
    for (uint32_t k = 0; k < node->n_in; k++) {
      key_of(c, r)[k] = c->home[node->in[k]][r];
    }
  }
}

static bool is_same_for_all(const sp_node *node) {
  return strcmp(node->op, "hlo:all-reduce") == 0 ||
         strcmp(node->op, "hlo:all-gather") == 0;
}

/* The members' operands, and the position in the group. */
static void group_keys(copies *c, const sp_node *node) {
  const sp_groups *g = spi_attr_groups(node, "replica_groups");
  uint32_t w = g->start[1] - g->start[0];
  start_keys(c, w * node->n_in + 1);
  for (uint32_t i = 0; i < g->n_groups; i++) {
    for (uint32_t at = 0; at < w; at++) {
      int64_t *key = key_of(c, g->ids[g->start[i] + at]);
      *key++ = is_same_for_all(node) ? 0 : at;
      for (uint32_t m = 0; m < w; m++) {
        for (uint32_t k = 0; k < node->n_in; k++) {
          *key++ = c->home[node->in[k]][g->ids[g->start[i] + m]];
        }
      }
    }
  }
}

/* What the source has; -1 where there is none: zeros. */
static void permute_keys(copies *c, const sp_node *node) {
  uint32_t n;
  const int64_t *pairs = spi_ints(node, "source_target_pairs", &n);
  start_keys(c, node->n_in);
  for (int64_t r = 0; r < c->n; r++) {
    for (uint32_t k = 0; k < node->n_in; k++) {
      key_of(c, r)[k] = -1;
    }
  }
  for (uint32_t i = 0; i + 1 < n; i += 2) {
    for (uint32_t k = 0; k < node->n_in; k++) {
      key_of(c, pairs[i + 1])[k] = c->home[node->in[k]][pairs[i]];
    }
  }
}

static void own_keys(copies *c) {
  start_keys(c, 1);
  for (int64_t r = 0; r < c->n; r++) {
    *key_of(c, r) = r;
  }
}

/* Where the block starts. */
static void enter_keys(copies *c, const sp_node *node, uint32_t k) {
  const sp_layout *l = spi_manual_cut_of(c->s->ctx, c->p, node, k).layout;
  start_keys(c, l->n_dims + 1);
  for (int64_t r = 0; r < c->n; r++) {
    key_of(c, r)[0] = c->home[node->in[k]][r];
    for (uint32_t d = 0; d < l->n_dims; d++) {
      key_of(c, r)[d + 1] = l->dims[d].runs[0].start[r];
    }
  }
}

/* For result k. */
static void make_keys(copies *c, const sp_node *node, uint32_t k) {
  spi_border border = spi_border_of(node);
  if (is_input(node) || border == SPI_BORDER_LEAVE) {
    start_keys(c, 0);
  } else if (border == SPI_BORDER_ENTER) {
    enter_keys(c, node, k);
  } else if (is_plain(c->s->ctx, c->p, node)) {
    plain_keys(c, node);
  } else if (sp_node_attr(node, "replica_groups")) {
    group_keys(c, node);
  } else if (sp_node_attr(node, "source_target_pairs")) {
    permute_keys(c, node);
  } else {
    own_keys(c);
  }
}

/* The first rank of an equal key; true when some rank is another's copy. */
static bool find_homes(copies *c, int64_t *home) {
  bool any = false;
  for (int64_t r = 0; r < c->n; r++) {
    home[r] = r;
    for (int64_t q = 0; q < r && home[r] == r; q++) {
      if (home[q] == q &&
          memcmp(key_of(c, q), key_of(c, r), c->width * sizeof *c->key) == 0) {
        home[r] = q;
      }
    }
    any = any || home[r] != r;
  }
  return any;
}

void spi_copies(sp_state *s) {
  copies c = {.s = s, .p = s->seq_program, .n = s->seq_program->partitions};
  if (c.n > MAX_RANKS) {
    return;
  }
  c.home = sp_alloc_n(s->ctx, c.p->n_tensors + 1u, sizeof *c.home);
  for (uint32_t i = 0; i < c.p->n_nodes; i++) {
    const sp_node *node = &c.p->nodes[i];
    bool known = is_known(s->ctx, c.p, node);
    for (uint32_t k = 0; k < node->n_out; k++) {
      uint32_t t = node->out + k;
      sp_mark mark = sp_scratch_mark(s->ctx);
      c.home[t] = sp_alloc_n(s->ctx, (size_t)c.n, sizeof **c.home);
      if (known) {
        make_keys(&c, node, k);
      } else {
        own_keys(&c);
      }
      if (find_homes(&c, c.home[t])) {
        s->seq[t].home = c.home[t];
      }
      sp_scratch_release(s->ctx, mark);
    }
  }
}
