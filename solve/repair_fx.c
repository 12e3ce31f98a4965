/* repair_fx.c: operators of PyTorch graphs that work within a rank. Their
 * arguments are attributes by position, "arg1"; repair_number.c has those that
 * are numbers. Read spi_try_fx. */
#include "solve/mender.h"

#include <math.h>
#include <string.h>

/* ---- names ---- */

static bool is_fx(const sp_node *node) {
  return strncmp(node->op, "hlo:", 4) != 0 && strncmp(node->op, "fx:", 3) != 0;
}

/* "aten.lt.Scalar" has the stem "lt"; *end: where ".Scalar" begins. */
static bool has_stem(const sp_node *node, const char *stem, const char **end) {
  const char *from = strchr(node->op, '.');
  size_t n = strlen(stem);
  if (!from || strncmp(from + 1, stem, n) != 0 ||
      (from[1 + n] != '.' && from[1 + n] != '\0')) {
    return false;
  }
  *end = from + 1 + n;
  return true;
}

bool spi_is_fx(const sp_node *node, const char *stem) {
  const char *end;
  return is_fx(node) && has_stem(node, stem, &end);
}

static sp_node *with_stem(spi_mender *m, const sp_node *node, const char *stem,
                          const char *end) {
  sp_node *copy = sp_alloc(m->s->ctx, sizeof *copy);
  const char *from = strchr(node->op, '.');
  *copy = *node;
  copy->op = sp_format(m->s->ctx, "%.*s.%s%s", (int)(from - node->op), node->op,
                       stem, end);
  return copy;
}

/* ---- other operators of the same form ---- */

static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
enum { N_COMPARISONS = sizeof comparisons / sizeof *comparisons };

static bool try_comparison(spi_mender *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  const char *end;
  for (size_t i = 0; i < N_COMPARISONS; i++) {
    if (!has_stem(node, comparisons[i], &end)) {
      continue;
    }
    for (size_t k = 0; k < N_COMPARISONS; k++) {
      spi_edit e = {.node = at,
                    .becomes = with_stem(m, node, comparisons[k], end)};
      if (k != i &&
          spi_offer(m, &e,
                    "compares by %s (a mask that is off by one, or inverted); "
                    "with %s all results are right",
                    comparisons[i], comparisons[k])) {
        return true;
      }
    }
  }
  return false;
}

/* Dividing by a number c instead of multiplying is a factor c c. Where that is
 * a number of ranks, as many sums taken for averages say the same. */
static bool may_count_ranks(const spi_mender *m, const sp_node *node) {
  int64_t ranks = m->program->partitions;
  for (uint32_t i = 0; i < node->n_attrs; i++) {
    const sp_attr *a = &node->attrs[i];
    bool number = a->kind == SP_ATTR_FLOAT || a->kind == SP_ATTR_INT;
    double c = a->kind == SP_ATTR_FLOAT ? a->u.f : (double)a->u.i;
    double factor = number && c != 0 ? c * c : 1;
    factor = factor < 1 ? 1 / factor : factor;
    if (factor > 1 && factor <= (double)ranks &&
        fmod((double)ranks, factor) == 0) {
      return true;
    }
  }
  return false;
}

static bool try_operator(spi_mender *m, uint32_t at) {
  static const char *const like[][2] = {{"add", "sub"},
                                        {"sub", "add"},
                                        {"mul", "div"},
                                        {"div", "mul"},
                                        {"maximum", "minimum"},
                                        {"minimum", "maximum"},
                                        {"amax", "amin"},
                                        {"amin", "amax"},
                                        {"sum", "mean"},
                                        {"mean", "sum"},
                                        {"bitwise_and", "bitwise_or"},
                                        {"bitwise_or", "bitwise_and"},
                                        {"logical_and", "logical_or"},
                                        {"logical_or", "logical_and"}};
  const sp_node *node = &m->program->nodes[at];
  const char *end;
  for (size_t i = 0; i < sizeof like / sizeof *like; i++) {
    bool factor =
        strcmp(like[i][0], "mul") == 0 || strcmp(like[i][0], "div") == 0;
    if (!has_stem(node, like[i][0], &end) ||
        (factor && may_count_ranks(m, node))) {
      continue;
    }
    spi_edit e = {.node = at, .becomes = with_stem(m, node, like[i][1], end)};
    if (spi_offer(m, &e, "is the wrong operator; with %s all results are right",
                  like[i][1])) {
      return true;
    }
  }
  return false;
}

static bool try_order(spi_mender *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  if (!spi_is_fx(node, "sub") && !spi_is_fx(node, "div") &&
      !spi_is_fx(node, "cat") && !spi_is_fx(node, "stack") &&
      !spi_is_fx(node, "where")) {
    return false;
  }
  for (uint32_t b = spi_is_fx(node, "where") ? 2 : 1; b < node->n_in && b < 8;
       b++) {
    for (uint32_t a = spi_is_fx(node, "where") ? 1 : 0; a < b; a++) {
      if (spi_try_operands(m, at, a, b)) {
        return true;
      }
    }
  }
  return false;
}

/* ---- axes ---- */

const char *spi_ints_text(sp_ctx *ctx, const int64_t *v, size_t n) {
  sp_str s = {0};
  for (size_t i = 0; i < n; i++) {
    sp_str_addf(ctx, &s, "%s%lld", i ? ", " : "", (long long)v[i]);
  }
  return s.v ? s.v : "";
}

/* Two entries of a list swapped: dimensions of permute, sizes of split. */
static bool try_swapped(spi_mender *m, uint32_t at, const sp_attr *own) {
  const sp_node *node = &m->program->nodes[at];
  for (size_t b = 1; b < own->n && b < 8; b++) {
    for (size_t a = 0; a < b; a++) {
      int64_t *v = sp_alloc_n(m->s->ctx, own->n, sizeof *v);
      memcpy(v, own->u.ints, own->n * sizeof *v);
      v[a] = own->u.ints[b];
      v[b] = own->u.ints[a];
      sp_attr value = {.kind = SP_ATTR_INTS, .u.ints = v, .n = own->n};
      spi_edit e = {.node = at,
                    .becomes =
                        spi_edit_attr(m->s->ctx, node, own->name, value)};
      if (v[a] != v[b] &&
          spi_offer(m, &e,
                    "has the wrong dimensions, [%s]; with [%s] all results are "
                    "right",
                    spi_ints_text(m->s->ctx, own->u.ints, own->n),
                    spi_ints_text(m->s->ctx, v, own->n))) {
        return true;
      }
    }
  }
  return false;
}

static bool try_axes(spi_mender *m, uint32_t at) {
  const sp_node *node = &m->program->nodes[at];
  bool lists = spi_is_fx(node, "permute") || spi_is_fx(node, "view") ||
               spi_is_fx(node, "reshape") ||
               spi_is_fx(node, "split_with_sizes");
  for (uint32_t i = 0; lists && i < node->n_attrs; i++) {
    if (node->attrs[i].kind == SP_ATTR_INTS &&
        try_swapped(m, at, &node->attrs[i])) {
      return true;
    }
  }
  return false;
}

bool spi_try_fx(spi_mender *m, uint32_t at) {
  return is_fx(&m->program->nodes[at]) &&
         (try_comparison(m, at) || spi_try_numbers(m, at) || try_order(m, at) ||
          try_operator(m, at) || try_axes(m, at));
}
