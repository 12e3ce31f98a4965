/* aten_args.c: reading a row's parameter list, and arguments by it.
 *
 * The list is text and read anew for every question: it is short, and nothing
 * has to be kept. param_next walks over it. */
#include "encode/aten_args.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum param_type {
  PARAM_TENSOR,
  PARAM_TENSORS,
  PARAM_VALUE,
  PARAM_SCALAR,
  PARAM_INT,
  PARAM_INTS,
  PARAM_FLOATS,
  PARAM_BOOL,
  PARAM_STR,
  PARAM_DTYPE,
  PARAM_GROUPS,
  PARAM_KEY,
  PARAM_ANY,
} param_type;

typedef struct param {
  param_type type;
  bool optional, spread, fixed, keyword_only;
  int position; /* among those with a position */
  const char *name;
  size_t name_n;
  const char *absent; /* text of the default; NULL: none, or None */
  size_t absent_n;
} param;

static const struct {
  const char *text;
  param_type type;
} types[] = {
    {"Tensor[]", PARAM_TENSORS}, {"Tensor...", PARAM_TENSORS},
    {"Tensor", PARAM_TENSOR},    {"Value", PARAM_VALUE},
    {"Scalar", PARAM_SCALAR},    {"int[]", PARAM_INTS},
    {"int...", PARAM_INTS},      {"int", PARAM_INT},
    {"bool", PARAM_BOOL},        {"str", PARAM_STR},
    {"dtype", PARAM_DTYPE},      {"groups", PARAM_GROUPS},
    {"any", PARAM_ANY},          {"Key", PARAM_KEY},
    {"float[]", PARAM_FLOATS},
};

typedef struct cursor {
  const char *at;
  int position;
  bool keyword_only;
} cursor;

static cursor cursor_of(const sp_op *op) {
  return (cursor){.at = op->params};
}

/* The end of an item: a comma outside brackets, or the end of the list. */
static const char *item_end(const char *s) {
  int depth = 0;
  while (*s && (depth > 0 || *s != ',')) {
    depth += *s == '[' ? 1 : *s == ']' ? -1 : 0;
    s++;
  }
  return s;
}

static bool param_next(cursor *c, param *out) {
  while (*c->at == ' ' || *c->at == ',') {
    c->at++;
  }
  if (*c->at == '*') {
    c->keyword_only = true;
    c->at++;
    return param_next(c, out);
  }
  if (!*c->at) {
    return false;
  }
  const char *end = item_end(c->at), *s = c->at;
  *out = (param){.type = PARAM_ANY,
                 .keyword_only = c->keyword_only,
                 .position = c->keyword_only ? -1 : c->position};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    size_t n = strlen(types[i].text);
    if (strncmp(s, types[i].text, n) == 0) {
      out->type = types[i].type;
      out->spread = s[n - 1] == '.';
      s += n;
      break;
    }
  }
  if (*s == '?') {
    out->optional = true;
    s++;
  }
  while (*s == ' ') {
    s++;
  }
  out->name = s;
  while (s < end && *s != '=' && *s != '!') {
    s++;
  }
  out->name_n = (size_t)(s - out->name);
  out->fixed = end[-1] == '!';
  if (*s == '=') {
    out->absent = s + 1;
    out->absent_n = (size_t)(end - s - 1) - (out->fixed ? 1 : 0);
    out->optional = true;
  }
  c->position += c->keyword_only ? 0 : 1;
  c->at = end;
  return true;
}

static bool is_named(const param *q, const char *name) {
  return strlen(name) == q->name_n && memcmp(name, q->name, q->name_n) == 0;
}

/* i of "arg<i>"; -1: a keyword. */
static int position_of(const char *name) {
  if (strncmp(name, "arg", 3) != 0 || name[3] < '0' || name[3] > '9' ||
      strlen(name) > 6) {
    return -1;
  }
  int i = 0;
  for (const char *s = name + 3; *s; s++) {
    if (*s < '0' || *s > '9') {
      return -1;
    }
    i = 10 * i + (*s - '0');
  }
  return i;
}

static const sp_attr *attr_at(const sp_node *node, int position) {
  char name[16] = "arg";
  char digits[8];
  int n = 0, at = 3;
  do {
    digits[n++] = (char)('0' + position % 10);
    position /= 10;
  } while (position > 0 && n < 8);
  while (n > 0) {
    name[at++] = digits[--n];
  }
  name[at] = 0;
  return sp_node_attr(node, name);
}

static const sp_attr *param_attr(const sp_node *node, const param *q) {
  for (uint32_t i = 0; i < node->n_attrs; i++) {
    if (position_of(node->attrs[i].name) < 0 &&
        is_named(q, node->attrs[i].name)) {
      return &node->attrs[i];
    }
  }
  return q->position < 0 ? NULL : attr_at(node, q->position);
}

/* The parameter of that name, and its argument (NULL: not given). Rows only
 * ask for what their list has; another name finds nothing. */
static const sp_attr *find(const sp_node *node, const char *name, param *q) {
  const sp_op *op = sp_op_find(node->op);
  cursor c = cursor_of(op);
  while (param_next(&c, q)) {
    if (is_named(q, name)) {
      return param_attr(node, q);
    }
  }
  *q = (param){.type = PARAM_ANY};
  return NULL;
}

/* ---- checking ---- */

static bool is_number(sp_attr_kind k) {
  return k == SP_ATTR_INT || k == SP_ATTR_FLOAT || k == SP_ATTR_RANKED_INT ||
         k == SP_ATTR_RANKED_FLOAT;
}

static bool kind_fits(const param *q, sp_attr_kind k) {
  switch (q->type) {
  case PARAM_TENSOR:
    return k == SP_ATTR_OPERAND;
  case PARAM_TENSORS:
    /* an empty list has no tensor in it */
    return k == SP_ATTR_OPERANDS || k == SP_ATTR_INTS;
  case PARAM_VALUE:
    return k == SP_ATTR_OPERAND || is_number(k);
  case PARAM_SCALAR:
    return is_number(k);
  case PARAM_INT:
    return k == SP_ATTR_INT || k == SP_ATTR_RANKED_INT;
  case PARAM_INTS:
    return k == SP_ATTR_INT || k == SP_ATTR_INTS || k == SP_ATTR_RANKED_INTS;
  case PARAM_FLOATS: /* floats in a list are kept as text */
    return k == SP_ATTR_INTS || k == SP_ATTR_TEXT;
  case PARAM_BOOL:
    return k == SP_ATTR_INT;
  case PARAM_STR:
  case PARAM_DTYPE:
    return k == SP_ATTR_TEXT;
  case PARAM_GROUPS:
    return k == SP_ATTR_GROUPS;
  case PARAM_KEY: /* the row reads it */
    return k != SP_ATTR_OPERANDS;
  case PARAM_ANY:
    break;
  }
  return k != SP_ATTR_OPERAND && k != SP_ATTR_OPERANDS;
}

static const char *param_name(sp_ctx *ctx, const param *q) {
  return sp_format(ctx, "%.*s", (int)q->name_n, q->name);
}

static void check_operand(sp_ctx *ctx, const sp_node *node, int64_t k) {
  if (k < -1 || k >= (int64_t)node->n_in) {
    spi_bad(ctx, node, "operand %lld of %u", (long long)k, node->n_in);
  }
}

/* Is the argument what stands as default? Numbers and texts only. */
static bool is_default(const param *q, const sp_attr *a) {
  char text[64];
  if (!q->absent || q->absent_n >= sizeof text) {
    return false;
  }
  memcpy(text, q->absent, q->absent_n);
  text[q->absent_n] = 0;
  double v = strcmp(text, "True") == 0    ? 1
             : strcmp(text, "False") == 0 ? 0
                                          : strtod(text, NULL);
  if (a->kind == SP_ATTR_INT) {
    return (double)a->u.i == v;
  }
  if (a->kind == SP_ATTR_FLOAT) {
    return a->u.f == v;
  }
  if (a->kind == SP_ATTR_TEXT) {
    return strcmp(a->u.text, text) == 0;
  }
  return a->kind == SP_ATTR_INTS && a->n == 0 && strcmp(text, "[]") == 0;
}

/* "[0.5, 2]", or integers */
static bool read_floats(sp_ctx *ctx, const sp_attr *a, double **out,
                        uint32_t *n) {
  size_t most = a->kind == SP_ATTR_INTS ? a->n : strlen(a->u.text);
  double *v = *out = sp_alloc_n(ctx, most + 1, sizeof *v);
  *n = 0;
  if (a->kind == SP_ATTR_INTS) {
    for (; *n < a->n; (*n)++) {
      v[*n] = (double)a->u.ints[*n];
    }
    return true;
  }
  const char *s = a->u.text;
  for (char open = '['; *s == open; open = ',') {
    char *end;
    v[(*n)++] = strtod(s + 1, &end);
    if (end == s + 1) {
      return false;
    }
    s = end + strspn(end, " ");
  }
  return strcmp(s, "]") == 0;
}

static void check_argument(sp_ctx *ctx, const sp_program *program,
                           const sp_node *node, const param *q,
                           const sp_attr *a) {
  const char *name = param_name(ctx, q);
  bool one = q->spread &&
             a->kind == (q->type == PARAM_INTS ? SP_ATTR_INT : SP_ATTR_OPERAND);
  if (!kind_fits(q, a->kind) && !one) {
    if (a->kind == SP_ATTR_TEXT) {
      spi_unknown(ctx, node, "argument %s is %s, which is not understood here",
                  name, a->u.text);
    }
    spi_unknown(ctx, node, "argument %s is %s, which is not understood here",
                name, spi_attr_kind_name(a->kind));
  }
  double *floats;
  uint32_t n;
  if (q->type == PARAM_FLOATS && !read_floats(ctx, a, &floats, &n)) {
    spi_unknown(ctx, node, "argument %s is %s, which is not understood here",
                name, a->u.text);
  }
  if (q->type == PARAM_TENSORS && a->kind == SP_ATTR_INTS && a->n != 0) {
    spi_bad(ctx, node, "argument %s is a list of numbers", name);
  }
  if (a->kind == SP_ATTR_OPERAND) {
    check_operand(ctx, node, a->u.i);
  }
  for (size_t i = 0; a->kind == SP_ATTR_OPERANDS && i < a->n; i++) {
    check_operand(ctx, node, a->u.ints[i]);
  }
  bool ranked = a->kind == SP_ATTR_RANKED_INT ||
                a->kind == SP_ATTR_RANKED_INTS ||
                a->kind == SP_ATTR_RANKED_FLOAT;
  if (ranked && (program->partitions < 1 || a->n == 0 ||
                 a->n % (size_t)program->partitions != 0 ||
                 (a->kind != SP_ATTR_RANKED_INTS &&
                  a->n != (size_t)program->partitions))) {
    spi_bad(ctx, node, "argument %s has %zu numbers for %lld ranks", name, a->n,
            (long long)program->partitions);
  }
  if (q->fixed && !is_default(q, a)) {
    spi_unknown(ctx, node, "argument %s is only understood as %s", name,
                q->absent ? sp_format(ctx, "%.*s", (int)q->absent_n, q->absent)
                          : "None");
  }
}

/* The parameter that an attribute belongs to. */
static bool owner_of(const sp_op *op, const char *attr, param *q) {
  int position = position_of(attr);
  cursor c = cursor_of(op);
  while (param_next(&c, q)) {
    if (position >= 0
            ? q->position >= 0 && (q->position == position ||
                                   (q->spread && q->position < position))
            : is_named(q, attr)) {
      return true;
    }
  }
  return false;
}

void spi_args_check(sp_ctx *ctx, const sp_program *program, const sp_op *op,
                    const sp_node *node) {
  param q;
  for (uint32_t i = 0; i < node->n_attrs; i++) {
    const sp_attr *a = &node->attrs[i];
    if (!owner_of(op, a->name, &q)) {
      spi_unknown(ctx, node, "argument %s is not understood", a->name);
    }
    check_argument(ctx, program, node, &q, a);
  }
  cursor c = cursor_of(op);
  while (param_next(&c, &q)) {
    const sp_attr *a = param_attr(node, &q);
    if (!a && !q.optional && !q.spread && q.type != PARAM_KEY) {
      spi_bad(ctx, node, "argument %s is missing", param_name(ctx, &q));
    }
    const sp_attr *other = q.position < 0 ? NULL : attr_at(node, q.position);
    if (a && other && a != other) {
      spi_bad(ctx, node, "argument %s is given twice", param_name(ctx, &q));
    }
  }
}

/* ---- values ---- */

static double default_number(const param *q) {
  if (!q->absent || strncmp(q->absent, "False", 5) == 0) {
    return 0;
  }
  return strncmp(q->absent, "True", 4) == 0 ? 1 : strtod(q->absent, NULL);
}

static noreturn void ranked_error(sp_ctx *ctx, const sp_node *node,
                                  const char *name) {
  spi_unknown(ctx, node, "argument %s differs from rank to rank", name);
}

bool spi_arg_given(const sp_node *node, const char *name) {
  param q;
  return find(node, name, &q) != NULL;
}

int64_t spi_arg_int(sp_ctx *ctx, const sp_node *node, const char *name) {
  param q;
  const sp_attr *a = find(node, name, &q);
  if (!a) {
    return q.absent ? strtoll(q.absent, NULL, 10) : 0;
  }
  if (a->kind != SP_ATTR_INT) {
    ranked_error(ctx, node, name);
  }
  return a->u.i;
}

bool spi_arg_bool(sp_ctx *ctx, const sp_node *node, const char *name) {
  param q;
  const sp_attr *a = find(node, name, &q);
  (void)ctx;
  return a ? a->u.i != 0 : default_number(&q) != 0;
}

double spi_arg_float(sp_ctx *ctx, const sp_node *node, const char *name) {
  param q;
  const sp_attr *a = find(node, name, &q);
  if (!a) {
    return default_number(&q);
  }
  if (a->kind == SP_ATTR_INT) {
    return (double)a->u.i;
  }
  if (a->kind != SP_ATTR_FLOAT) {
    ranked_error(ctx, node, name);
  }
  return a->u.f;
}

const char *spi_arg_text(const sp_node *node, const char *name) {
  param q;
  const sp_attr *a = find(node, name, &q);
  return a && a->kind == SP_ATTR_TEXT ? a->u.text : NULL;
}

/* "[1, 1]" */
static const int64_t *default_list(sp_ctx *ctx, const param *q, uint32_t *n) {
  int64_t *v = sp_alloc_n(ctx, q->absent_n + 1, sizeof *v);
  const char *s = q->absent, *end = s + q->absent_n;
  *n = 0;
  while (s && s < end) {
    if ((*s >= '0' && *s <= '9') || *s == '-') {
      char *after;
      v[(*n)++] = strtoll(s, &after, 10);
      s = after;
    } else {
      s++;
    }
  }
  return v;
}

static const int64_t *spread_list(sp_ctx *ctx, const sp_node *node,
                                  const param *q, uint32_t *n) {
  int64_t *v = sp_alloc_n(ctx, node->n_attrs + 1u, sizeof *v);
  const sp_attr *a;
  for (int i = q->position; (a = attr_at(node, i)) != NULL; i++) {
    if (a->kind != SP_ATTR_INT) {
      spi_bad(ctx, node, "argument %d is %s", i, spi_attr_kind_name(a->kind));
    }
    v[(*n)++] = a->u.i;
  }
  return v;
}

const int64_t *spi_arg_ints(sp_ctx *ctx, const sp_node *node, const char *name,
                            uint32_t *n) {
  param q;
  const sp_attr *a = find(node, name, &q);
  *n = 0;
  if (!a) {
    return default_list(ctx, &q, n);
  }
  if (a->kind == SP_ATTR_RANKED_INTS) {
    ranked_error(ctx, node, name);
  }
  if (a->kind == SP_ATTR_INTS) {
    static const int64_t none[1] = {0};
    *n = (uint32_t)a->n;
    return a->n ? a->u.ints : none;
  }
  if (q.spread && position_of(a->name) >= 0) {
    return spread_list(ctx, node, &q, n);
  }
  *n = 1;
  return &a->u.i;
}

const double *spi_arg_floats(sp_ctx *ctx, const sp_node *node, const char *name,
                             uint32_t *n) {
  param q;
  const sp_attr *a = find(node, name, &q);
  double *v = NULL;
  *n = 0;
  return a && q.type == PARAM_FLOATS && read_floats(ctx, a, &v, n) ? v : NULL;
}

const sp_attr *spi_arg_ranked(const sp_node *node, const char *name) {
  param q;
  const sp_attr *a = find(node, name, &q);
  return a && (a->kind == SP_ATTR_RANKED_INTS || a->kind == SP_ATTR_RANKED_INT)
             ? a
             : NULL;
}

int64_t spi_arg_operand(const sp_node *node, const char *name) {
  param q;
  const sp_attr *a = find(node, name, &q);
  return a && a->kind == SP_ATTR_OPERAND ? a->u.i : -1;
}

const int64_t *spi_arg_operands(const sp_node *node, const char *name,
                                uint32_t *n) {
  param q;
  const sp_attr *a = find(node, name, &q);
  *n = a && a->kind == SP_ATTR_OPERANDS ? (uint32_t)a->n : 0;
  return *n ? a->u.ints : NULL;
}

sp_dtype spi_arg_dtype(sp_ctx *ctx, const sp_node *node, const char *name,
                       sp_dtype absent) {
  static const struct {
    const char *text;
    sp_dtype t;
  } names[] = {
      {"bool", SP_PRED},          {"uint8", SP_U8},
      {"uint16", SP_U16},         {"uint32", SP_U32},
      {"uint64", SP_U64},         {"int8", SP_S8},
      {"int16", SP_S16},          {"short", SP_S16},
      {"int32", SP_S32},          {"int", SP_S32},
      {"int64", SP_S64},          {"long", SP_S64},
      {"float16", SP_F16},        {"half", SP_F16},
      {"bfloat16", SP_BF16},      {"float32", SP_F32},
      {"float", SP_F32},          {"float64", SP_F64},
      {"double", SP_F64},         {"float8_e4m3fn", SP_F8E4M3FN},
      {"float8_e5m2", SP_F8E5M2},
  };
  const char *text = spi_arg_text(node, name);
  if (!text) {
    return absent;
  }
  const char *t = strncmp(text, "torch.", 6) == 0 ? text + 6 : text;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(names[i].text, t) == 0) {
      return names[i].t;
    }
  }
  spi_unknown(ctx, node, "values of type %s are not modelled", text);
}

bool spi_arg_is_float(const sp_node *node, const char *name) {
  param q;
  const sp_attr *a = find(node, name, &q);
  return a ? a->kind == SP_ATTR_FLOAT || a->kind == SP_ATTR_RANKED_FLOAT
           : q.absent && memchr(q.absent, '.', q.absent_n) != NULL;
}

/* ---- terms ---- */

static sp_expr by_rank(const sp_call *call, const sp_attr *a) {
  int64_t n = (int64_t)a->n;
  return n == 1 ? sp_int(call->pool, a->u.ints[0])
                : sp_table(call->pool, a->u.ints, n, spi_rank(call));
}

sp_expr spi_arg_index(const sp_call *call, const char *name) {
  param q;
  const sp_attr *a = find(call->node, name, &q);
  if (a && a->kind == SP_ATTR_RANKED_INT) {
    return by_rank(call, a);
  }
  return sp_int(call->pool,
                spi_arg_int(sp_pool_ctx(call->pool), call->node, name));
}

/* Infinities stand beside the finite values, as choices by the rank. */
static sp_expr floats_by_rank(const sp_call *call, const sp_attr *a) {
  sp_pool *p = call->pool;
  sp_ctx *ctx = sp_pool_ctx(p);
  int64_t n = (int64_t)a->n;
  sp_num *finite = sp_alloc_n(ctx, a->n, sizeof *finite);
  int64_t *sign = sp_alloc_n(ctx, a->n, sizeof *sign); /* of an infinity */
  bool infinite = false;
  for (size_t i = 0; i < a->n; i++) {
    double v = a->u.floats[i];
    if (isnan(v)) {
      spi_unknown(ctx, call->node, "a number that is NaN on some ranks");
    }
    sign[i] = isinf(v) ? (v < 0 ? -1 : 1) : 0;
    infinite = infinite || sign[i];
    finite[i] = sp_num_from_double(p, sign[i] ? 0 : v, 53);
  }
  sp_expr rank = n == 1 ? sp_int(p, 0) : spi_rank(call);
  sp_expr e = sp_table_real(p, finite, n, rank);
  if (infinite) {
    sp_expr s = sp_table(p, sign, n, rank);
    e = sp_ite(p, sp_eq(p, s, sp_int(p, -1)), sp_inf(p, true), e);
    e = sp_ite(p, sp_eq(p, s, sp_int(p, 1)), sp_inf(p, false), e);
  }
  return e;
}

/* A float written where an integer is meant: only if it is one. */
static sp_expr integral(const sp_call *call, double v) {
  if (v != floor(v) || fabs(v) > 9.0e15) {
    spi_unknown(sp_pool_ctx(call->pool), call->node,
                "the number %g as an integer", v);
  }
  return sp_int(call->pool, (int64_t)v);
}

sp_expr spi_arg_number(const sp_call *call, const char *name, sp_dtype t) {
  sp_pool *p = call->pool;
  param q;
  const sp_attr *a = find(call->node, name, &q);
  sp_sort sort = sp_dtype_sort(t);
  sp_expr e;
  if (a && a->kind == SP_ATTR_RANKED_FLOAT) {
    if (sort != SP_SORT_REAL) {
      ranked_error(sp_pool_ctx(p), call->node, name);
    }
    return floats_by_rank(call, a);
  }
  if (a && a->kind == SP_ATTR_RANKED_INT) {
    e = by_rank(call, a);
  } else if (a && a->kind == SP_ATTR_INT) {
    e = sp_int(p, a->u.i);
  } else {
    double v = a ? a->u.f : default_number(&q);
    if (sort == SP_SORT_REAL) {
      return spi_float(p, v, SP_F64);
    }
    e = sort == SP_SORT_BOOL ? sp_int(p, v != 0) : integral(call, v);
  }
  return sort == SP_SORT_REAL   ? sp_i2r(p, e)
         : sort == SP_SORT_BOOL ? sp_not(p, sp_eq(p, e, sp_int(p, 0)))
                                : e;
}
