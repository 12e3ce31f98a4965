/* manual.c: the borders of manual mode, in which shard_map writes programs.
 *
 * Between them a tensor is what each device has. With the sharding of the whole
 * tensor, which says where the block of a device starts and who has a block:
 *   SPMDFullToShardShape   out(r)[i] = a(r)[start(r) + i]
 *   SPMDShardToFullShape   out(r)[i] = a(first(i div n))[i mod n]
 * n is the size of a block along each dimension. Several devices may have the
 * same block: they should agree, and the first one is asked. A program in which
 * they do not agree gives other values on the others.
 *
 * A mode may be manual along some axes of the mesh only. Along the others a
 * block on the inside is whole, and the sharding of the whole may still cut it.
 * Where a dimension is cut by both kinds the block's own sharding says where
 * in its block a device's tile begins, and the tile is the same on both sides
 * of the border: start(r) is what is left. Blocks with padding are refused.
 */
#include "encode/manual.h"

#include "encode/op_groups.h"
#include "graph/same.h"

#include <string.h>

spi_border spi_border_of(const sp_node *node) {
  static const struct {
    const char *target;
    spi_border border;
  } known[] = {
      {"SPMDFullToShardShape", SPI_BORDER_ENTER},
      {"SPMDShardToFullShape", SPI_BORDER_LEAVE},
      /* the same before Shardy's pass, for all tensors of a shard_map at once
       */
      {"xla.sdy.GlobalToLocalShape", SPI_BORDER_ENTER},
      {"xla.sdy.LocalToGlobalShape", SPI_BORDER_LEAVE},
  };
  const sp_attr *a = sp_node_attr(node, "custom_call_target");
  for (size_t i = 0; a && a->kind == SP_ATTR_TEXT && i < 4; i++) {
    if (strcmp(a->u.text, known[i].target) == 0) {
      return known[i].border;
    }
  }
  return SPI_BORDER_NONE;
}

/* All mesh axes manual, some of them, or nothing is said (a call that was
 * inlined); but a block is not laid out like a whole. */
static bool may_be_block(const sp_sharding *s) {
  return !s || s->kind == SP_SHARDING_MANUAL || s->kind == SP_SHARDING_UNKNOWN;
}

/* Where the block starts in which a device's tile is: inner says where the tile
 * starts in it. NULL: it is no block of the whole. */
static const int64_t *block_starts(sp_ctx *ctx, const sp_layout *l,
                                   const sp_layout *inner, uint32_t d,
                                   int64_t whole, int64_t block) {
  int64_t *start = sp_alloc_n(ctx, (size_t)l->ranks, sizeof *start);
  for (int64_t r = 0; r < l->ranks; r++) {
    start[r] = l->dims[d].runs[0].start[r] - inner->dims[d].runs[0].start[r];
    if (start[r] < 0 || start[r] % block != 0 || start[r] > whole - block) {
      return NULL;
    }
  }
  return start;
}

/* l: tiles in the whole; inner: tiles in the block, or NULL. What the sharding
 * cuts along dimensions where blocks are whole is cut by axes that are not
 * manual: every device has all of it. NULL: that is not how blocks lie. */
static const sp_layout *of_blocks(sp_ctx *ctx, const sp_layout *l,
                                  const sp_layout *inner, const sp_shape *whole,
                                  const sp_shape *block) {
  sp_layout *out = sp_alloc(ctx, sizeof *out);
  sp_layout_dim *dims = sp_alloc_n(ctx, l->n_dims + 1u, sizeof *dims);
  int64_t *zero = sp_alloc_n(ctx, (size_t)l->ranks, sizeof *zero);
  for (uint32_t d = 0; d < l->n_dims; d++) {
    int64_t size = block->dims[d];
    sp_run *run = sp_alloc(ctx, sizeof *run);
    *run = (sp_run){size, zero};
    dims[d] = (sp_layout_dim){1, run};
    if (size == whole->dims[d]) {
      continue;
    }
    run->start = size == l->dims[d].runs[0].size ? l->dims[d].runs[0].start
                 : inner ? block_starts(ctx, l, inner, d, whole->dims[d], size)
                         : NULL;
    if (!run->start) {
      return NULL;
    }
  }
  *out = *l;
  out->dims = dims;
  return out;
}

/* The sizes of tiles of the sharding. */
static const int64_t *tile_dims(sp_ctx *ctx, const sp_sharding *s,
                                const sp_shape *whole) {
  int64_t *dims = sp_alloc_n(ctx, whole->n_dims + 1u, sizeof *dims);
  for (uint32_t d = 0; d < whole->n_dims; d++) {
    bool tiled = s->kind == SP_SHARDING_TILED && d < s->n_dims;
    int64_t tiles = tiled && s->tiles[d] > 0 ? s->tiles[d] : 1;
    dims[d] = (whole->dims[d] + tiles - 1) / tiles;
  }
  return dims;
}

/* How tiles lie in the block, which is manual along some axes only; NULL: it
 * does not say, or not the tiles that the whole is cut into. */
static const sp_layout *inside(sp_ctx *ctx, const sp_program *p,
                               const sp_node *node, const sp_tensor *block,
                               const sp_shape *tile) {
  const sp_sharding *s = block->sharding ? block->sharding->inner : NULL;
  const char *why;
  if (!s ||
      (s->kind != SP_SHARDING_TILED && s->kind != SP_SHARDING_REPLICATED) ||
      (s->kind == SP_SHARDING_TILED && s->n_dims != block->shape.n_dims)) {
    return NULL;
  }
  sp_shape own = block->shape;
  own.dims = tile_dims(ctx, s, &block->shape);
  for (uint32_t d = 0; d < own.n_dims; d++) {
    if (own.dims[d] != tile->dims[d]) {
      return NULL;
    }
  }
  return sp_layout_of_sharding(ctx, s, &block->shape, &own, p->partitions,
                               node->pos.dump, block->name, &why);
}

spi_manual_cut spi_manual_cut_of(sp_ctx *ctx, const sp_program *p,
                                 const sp_node *node, uint32_t k) {
  bool enters = spi_border_of(node) == SPI_BORDER_ENTER;
  const sp_tensor *in = &p->tensors[node->in[k]];
  const sp_tensor *out = &p->tensors[node->out + k];
  const sp_tensor *whole = enters ? in : out, *block = enters ? out : in;
  const sp_sharding *s = whole->sharding;
  if (!s || !may_be_block(block->sharding) ||
      whole->shape.n_dims != block->shape.n_dims) {
    spi_unknown(ctx, node, "a border of manual mode without a sharding");
  }
  sp_shape tile = block->shape;
  if (!block->sharding || block->sharding->kind != SP_SHARDING_MANUAL) {
    tile.dims = tile_dims(ctx, s, &whole->shape);
  }
  const char *why;
  spi_manual_cut c = {.whole = &whole->shape};
  c.layout = sp_layout_of_sharding(ctx, s, &whole->shape, &tile, p->partitions,
                                   node->pos.dump, whole->name, &why);
  if (!c.layout) {
    spi_unknown(ctx, node, "%s", why);
  }
  c.layout = of_blocks(ctx, c.layout, inside(ctx, p, node, block, &tile),
                       &whole->shape, &block->shape);
  if (!c.layout) {
    spi_unknown(ctx, node, "blocks that do not follow from the shardings");
  }
  c.owners = sp_layout_owners(ctx, c.layout, c.whole, &c.n);
  if (!c.owners) {
    spi_unknown(ctx, node, "blocks with padding");
  }
  return c;
}

bool spi_manual_same(const sp_program *p, const sp_node *a, const sp_program *q,
                     const sp_node *b) {
  bool border = spi_border_of(a) != SPI_BORDER_NONE ||
                spi_border_of(b) != SPI_BORDER_NONE;
  bool same = !border || (a->n_in == b->n_in && a->n_out == b->n_out);
  for (uint32_t k = 0; border && same && k < a->n_in; k++) {
    same = sp_sharding_same(p->tensors[a->in[k]].sharding,
                            q->tensors[b->in[k]].sharding);
  }
  for (uint32_t k = 0; border && same && k < a->n_out; k++) {
    same = sp_sharding_same(p->tensors[a->out + k].sharding,
                            q->tensors[b->out + k].sharding);
  }
  return same;
}

void spi_manual_shape(sp_ctx *ctx, const sp_program *program,
                      const sp_node *node) {
  spi_expect_results(ctx, node, node->n_in);
  for (uint32_t k = 0; k < node->n_in; k++) {
    spi_manual_cut_of(ctx, program, node, k);
  }
}

sp_expr spi_manual_element(const sp_call *call, const sp_expr *idx) {
  sp_pool *p = call->pool;
  bool enters = spi_border_of(call->node) == SPI_BORDER_ENTER;
  spi_manual_cut c = spi_manual_cut_of(sp_pool_ctx(p), call->program,
                                       call->node, call->result);
  if (call->partitions != c.layout->ranks) {
    spi_unknown(sp_pool_ctx(p), call->node, "manual mode on one device");
  }
  sp_expr at[SP_MAX_DIMS], tile = sp_int(p, 0);
  for (uint32_t d = 0; d < c.whole->n_dims; d++) {
    const sp_run *run = &c.layout->dims[d].runs[0];
    if (enters) {
      at[d] = sp_iadd(
          p, idx[d],
          spi_rank_table(p, run->start, c.layout->ranks, spi_rank(call)));
    } else if (run->size == c.whole->dims[d]) {
      at[d] = idx[d];
    } else {
      at[d] = sp_imod(p, idx[d], run->size);
      tile = sp_iadd(p, sp_iscale(p, tile, c.whole->dims[d] / run->size),
                     sp_idiv(p, idx[d], run->size));
    }
  }
  return call->read(
      call->env, call, call->result,
      enters ? spi_rank(call) : spi_rank_table(p, c.owners, c.n, tile), at);
}
