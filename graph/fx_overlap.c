/* fx_overlap.c: in-place operators on lists of tensors. Read fx_check_overlap.
 *
 * Such an operator takes an element of each list at a time: what it writes is
 * there when the next one is read. Its functional variant takes all as they
 * were. Both are the same where no tensor that is written shares memory with
 * another one of the call; only the operands that are taken together with it
 * may be the same tensor (x += x). */
#include "graph/fx_i.h"

/* Members of one storage are compared in pairs. */
enum { MAX_SHARED = 1000 };

typedef struct member {
  uint32_t var;
  uint32_t at;   /* in its list; FX_NONE: taken with every element */
  uint32_t next; /* in the same storage */
  bool written;
} member;

typedef SP_VEC(member) members;

static members members_of(fx_build *b, const fx_stmt *s, uint32_t n_written) {
  members m = {0};
  for (uint32_t i = 0; i < s->n_args; i++) {
    bool list = s->args[i].value.kind == FX_VALUE_LIST;
    fx_value flat = fx_flat_list(b, &s->args[i].value);
    for (uint32_t k = 0; k < flat.n; k++) {
      uint32_t var = fx_tensor_named(b, &flat.items[k]);
      if (var != FX_NONE && b->vars.v[var].kind == FX_VAR_TENSOR) {
        member x = {var, list ? k : FX_NONE, FX_NONE, i < n_written};
        sp_push(b->ctx, &m, x);
      }
    }
  }
  return m;
}

static uint32_t depth_of(const fx_build *b, uint32_t var) {
  uint32_t depth = 0;
  for (; b->vars.v[var].parent != FX_NONE; var = b->vars.v[var].parent) {
    depth++;
  }
  return depth;
}

/* Parts of one tensor that was cut, or views of them. */
static bool are_parts(const fx_build *b, uint32_t x, uint32_t y) {
  uint32_t i = depth_of(b, x), k = depth_of(b, y);
  while (i > k) {
    x = b->vars.v[x].parent;
    i--;
  }
  while (k > i) {
    y = b->vars.v[y].parent;
    k--;
  }
  for (; i > 0; i--) {
    const fx_var *p = &b->vars.v[x], *q = &b->vars.v[y];
    bool cut = p->inverse == FX_INV_SPLIT || p->inverse == FX_INV_UNBIND;
    if (cut && p->link == FX_VIEW && q->link == FX_VIEW && p->node == q->node &&
        p->result != q->result) {
      return true;
    }
    x = p->parent;
    y = q->parent;
  }
  return false;
}

static bool is_harmless(const fx_build *b, const member *x, const member *y) {
  bool together = x->at == y->at && x->written != y->written;
  return (!x->written && !y->written) || together ||
         are_parts(b, x->var, y->var);
}

void fx_check_overlap(fx_build *b, const fx_stmt *s, uint32_t n_written) {
  members m = members_of(b, s, n_written);
  uint32_t *first = sp_alloc_n(b->ctx, b->storages.n + 1, 2 * sizeof *first);
  uint32_t *count = first + b->storages.n + 1;
  for (size_t i = 0; i < b->storages.n; i++) {
    first[i] = FX_NONE;
  }
  for (uint32_t i = 0; i < m.n; i++) {
    uint32_t family = fx_var_family(b, m.v[i].var);
    m.v[i].next = first[family];
    first[family] = i;
    bool many = ++count[family] > MAX_SHARED;
    for (uint32_t k = m.v[i].next; k != FX_NONE; k = m.v[k].next) {
      if (many || !is_harmless(b, &m.v[i], &m.v[k])) {
        sp_raise(b->ctx, SP_ERR_UNKNOWN, s->pos.dump,
                 "capture the graph after functionalization",
                 "%.120s writes what another element of its lists may share: "
                 "'%.80s', '%.80s'",
                 s->op, b->vars.v[m.v[k].var].name, b->vars.v[m.v[i].var].name);
      }
    }
  }
}
