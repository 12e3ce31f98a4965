/* test_fx_alias.c: in-place operators against real memory. Random programs of
 * views and writes are run twice: as written, on buffers that views share, and
 * as the reader makes them, function by function, every tensor with memory of
 * its own. All variables must be equal at the end.
 *
 * A view is a function from an array to an array that shares its buffer (dims,
 * strides, offset); the same functions serve both runs, so the test is of what
 * the reader makes of aliases, not of what a transpose is.
 */
#include "base/vec.h"
#include "graph/fx.h"
#include "tests/suites.h"
#include "tests/support_dumps.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>

void suite_fx_alias(void);

enum { MAX_DIMS = 4, MAX_VARS = 64, MAX_PARTS = 8 };

typedef struct arr {
  double *data;
  int n_dims;
  int64_t dims[MAX_DIMS], strides[MAX_DIMS], offset;
} arr;

static int64_t arr_size(const arr *a) {
  int64_t n = 1;
  for (int d = 0; d < a->n_dims; d++) {
    n *= a->dims[d];
  }
  return n;
}

/* Element number k in row-major order. */
static double *arr_at(const arr *a, int64_t k) {
  int64_t at = a->offset;
  for (int d = a->n_dims - 1; d >= 0; d--) {
    at += k % a->dims[d] * a->strides[d];
    k /= a->dims[d];
  }
  return &a->data[at];
}

static arr arr_new(sp_ctx *ctx, int n_dims, const int64_t *dims) {
  arr a = {.n_dims = n_dims};
  int64_t stride = 1;
  for (int d = n_dims - 1; d >= 0; d--) {
    a.dims[d] = dims[d];
    a.strides[d] = stride;
    stride *= dims[d];
  }
  a.data = sp_alloc_n(ctx, (size_t)stride, sizeof *a.data);
  return a;
}

static arr arr_copy(sp_ctx *ctx, const arr *a) {
  arr b = arr_new(ctx, a->n_dims, a->dims);
  for (int64_t k = 0; k < arr_size(a); k++) {
    b.data[k] = *arr_at(a, k);
  }
  return b;
}

static void arr_set(arr *to, const arr *from) {
  for (int64_t k = 0; k < arr_size(to); k++) {
    *arr_at(to, k) = *arr_at(from, k);
  }
}

static bool arr_contiguous(const arr *a) {
  int64_t stride = 1;
  for (int d = a->n_dims - 1; d >= 0; d--) {
    if (a->strides[d] != stride) {
      return false;
    }
    stride *= a->dims[d];
  }
  return true;
}

/* --- views --- */

static arr view_transpose(arr a, int x, int y) {
  arr b = a;
  b.dims[x] = a.dims[y];
  b.dims[y] = a.dims[x];
  b.strides[x] = a.strides[y];
  b.strides[y] = a.strides[x];
  return b;
}

static arr view_permute(arr a, const int64_t *order) {
  arr b = a;
  for (int d = 0; d < a.n_dims; d++) {
    b.dims[d] = a.dims[order[d]];
    b.strides[d] = a.strides[order[d]];
  }
  return b;
}

static arr view_slice(arr a, int64_t dim, int64_t start, int64_t end,
                      int64_t step) {
  a.offset += start * a.strides[dim];
  a.dims[dim] = (end - start + step - 1) / step;
  a.strides[dim] *= step;
  return a;
}

static arr view_select(arr a, int64_t dim, int64_t index) {
  a.offset += index * a.strides[dim];
  for (int d = (int)dim; d + 1 < a.n_dims; d++) {
    a.dims[d] = a.dims[d + 1];
    a.strides[d] = a.strides[d + 1];
  }
  a.n_dims--;
  return a;
}

static arr view_unsqueeze(arr a, int64_t dim) {
  for (int d = a.n_dims; d > dim; d--) {
    a.dims[d] = a.dims[d - 1];
    a.strides[d] = a.strides[d - 1];
  }
  a.dims[dim] = 1;
  a.strides[dim] = 1;
  a.n_dims++;
  return a;
}

static arr view_diagonal(arr a) {
  a.dims[0] = a.dims[0] < a.dims[1] ? a.dims[0] : a.dims[1];
  a.strides[0] += a.strides[1];
  a.n_dims = 1;
  return a;
}

/* Of a contiguous array. */
static arr view_reshape(arr a, int n_dims, const int64_t *dims) {
  int64_t stride = 1;
  a.n_dims = n_dims;
  for (int d = n_dims - 1; d >= 0; d--) {
    a.dims[d] = dims[d];
    a.strides[d] = stride;
    stride *= dims[d];
  }
  return a;
}

/* --- the reader's program --- */

typedef struct run {
  sp_ctx *ctx;
  const sp_program *p;
  arr *value; /* by tensor */
} run;

static int64_t int_at(const sp_node *n, const char *name) {
  const sp_attr *a = sp_node_attr(n, name);
  CU_ASSERT_FATAL(a && a->kind == SP_ATTR_INT);
  return a->u.i;
}

/* The view that a node takes of an array; arguments begin at arg<1+shift>. */
static bool node_view(const sp_node *n, const char *op, bool shift, arr a,
                      arr *out) {
  const char *one = shift ? "arg2" : "arg1", *two = shift ? "arg3" : "arg2",
             *three = shift ? "arg4" : "arg3", *four = shift ? "arg5" : "arg4";
  if (strcmp(op, "slice") == 0) {
    int64_t step = sp_node_attr(n, four) ? int_at(n, four) : 1;
    *out =
        view_slice(a, int_at(n, one), int_at(n, two), int_at(n, three), step);
  } else if (strcmp(op, "select") == 0) {
    *out = view_select(a, int_at(n, one), int_at(n, two));
  } else if (strcmp(op, "diagonal") == 0) {
    *out = view_diagonal(a);
  } else {
    return false;
  }
  return true;
}

static bool is(const sp_node *n, const char *op) {
  return strcmp(n->op, op) == 0;
}

static void run_parts(run *r, const sp_node *n, arr a) {
  const sp_attr *size = sp_node_attr(n, "arg1");
  int64_t at = 0;
  for (uint32_t k = 0; k < n->n_out; k++) {
    arr part;
    if (is(n, "aten.unbind.int")) {
      part = view_select(a, int_at(n, "arg1"), k);
    } else {
      int64_t dim = int_at(n, "arg2");
      int64_t s = size->kind == SP_ATTR_INT ? size->u.i : size->u.ints[k];
      int64_t end = at + s > a.dims[dim] ? a.dims[dim] : at + s;
      part = view_slice(a, dim, at, end, 1);
      at = end;
    }
    r->value[n->out + k] = arr_copy(r->ctx, &part);
  }
}

static bool run_layout(run *r, const sp_node *n, arr a) {
  arr v = a;
  const sp_attr *list = sp_node_attr(n, "arg1");
  if (is(n, "aten.t.default")) {
    v = view_transpose(a, 0, 1);
  } else if (is(n, "aten.transpose.int")) {
    v = view_transpose(a, (int)int_at(n, "arg1"), (int)int_at(n, "arg2"));
  } else if (is(n, "aten.permute.default")) {
    v = view_permute(a, list->u.ints);
  } else if (is(n, "aten.view.default")) {
    v = view_reshape(a, (int)list->n, list->u.ints);
  } else if (is(n, "aten.unsqueeze.default")) {
    v = view_unsqueeze(a, int_at(n, "arg1"));
  } else if (is(n, "operator.getitem")) {
    v = view_select(a, 0, int_at(n, "arg1"));
  } else if (is(n, "method.narrow")) {
    int64_t start = int_at(n, "arg2");
    v = view_slice(a, int_at(n, "arg1"), start, start + int_at(n, "arg3"), 1);
  } else if (is(n, "aten.slice.Tensor")) {
    node_view(n, "slice", false, a, &v);
  } else if (is(n, "aten.select.int")) {
    node_view(n, "select", false, a, &v);
  } else if (is(n, "aten.diagonal.default")) {
    node_view(n, "diagonal", false, a, &v);
  } else if (!is(n, "aten.detach.default") && !is(n, "aten.clone.default")) {
    return false;
  }
  r->value[n->out] = arr_copy(r->ctx, &v);
  return true;
}

static bool run_scatter(run *r, const sp_node *n, arr a) {
  arr whole = arr_copy(r->ctx, &a), v;
  if (is(n, "operator.setitem")) {
    v = view_select(whole, 0, int_at(n, "arg1"));
  } else if (is(n, "aten.slice_scatter.default")) {
    node_view(n, "slice", true, whole, &v);
  } else if (is(n, "aten.select_scatter.default")) {
    node_view(n, "select", true, whole, &v);
  } else if (is(n, "aten.diagonal_scatter.default")) {
    node_view(n, "diagonal", true, whole, &v);
  } else {
    return false;
  }
  arr_set(&v, &r->value[n->in[1]]);
  r->value[n->out] = whole;
  return true;
}

static void run_value(run *r, const sp_node *n, arr a) {
  arr b = arr_copy(r->ctx, &a);
  double c =
      sp_node_attr(n, "arg1") && n->n_in == 1 ? (double)int_at(n, "arg1") : 0;
  bool copies = is(n, "aten.copy.default"), adds = is(n, "aten.add.Tensor");
  CU_ASSERT(copies || adds || is(n, "aten.mul.Scalar") ||
            is(n, "operator.add") || is(n, "aten.fill.Scalar") ||
            is(n, "aten.zeros_like.default") || is(n, "aten.neg.default"));
  for (int64_t k = 0; k < arr_size(&b); k++) {
    double x = b.data[k];
    double y = n->n_in > 1 ? r->value[n->in[1]].data[k] : c;
    b.data[k] = copies                      ? y
                : adds                      ? x + y
                : is(n, "operator.add")     ? x + y
                : is(n, "aten.mul.Scalar")  ? x * y
                : is(n, "aten.neg.default") ? -x
                                            : c;
  }
  r->value[n->out] = b;
}

static void run_program(run *r, const arr *inputs) {
  r->value = sp_alloc_n(r->ctx, r->p->n_tensors, sizeof *r->value);
  for (uint32_t i = 0; i < r->p->n_nodes; i++) {
    const sp_node *n = &r->p->nodes[i];
    if (is(n, "fx:placeholder")) {
      r->value[n->out] = inputs[int_at(n, "index")];
      continue;
    }
    arr a = r->value[n->in[0]];
    if (is(n, "aten.split.Tensor") || is(n, "aten.unbind.int") ||
        is(n, "aten.split_with_sizes.default")) {
      run_parts(r, n, a);
    } else if (!run_layout(r, n, a) && !run_scatter(r, n, a)) {
      run_value(r, n, a);
    }
  }
}

/* --- random programs, run as they are made --- */

typedef struct maker {
  sp_ctx *ctx;
  uint64_t random;
  sp_str text;
  int n;
  arr vars[MAX_VARS];
  char names[MAX_VARS][8];
  int n_named;
} maker;

static int64_t pick(maker *m, int64_t n) {
  m->random ^= m->random << 13;
  m->random ^= m->random >> 7;
  m->random ^= m->random << 17;
  return (int64_t)((m->random >> 11) % (uint64_t)n);
}

static void annotation(maker *m, const arr *a) {
  sp_str_add(m->ctx, &m->text, "\"f64[");
  for (int d = 0; d < a->n_dims; d++) {
    sp_str_addf(m->ctx, &m->text, "%s%lld", d ? ", " : "",
                (long long)a->dims[d]);
  }
  sp_str_add(m->ctx, &m->text, "]\"");
}

/* "        v7: "f64[4, 6]" = "; the variable exists from now on. */
static void begin(maker *m, arr a) {
  snprintf(m->names[m->n], sizeof m->names[0], "v%d", m->n_named++);
  sp_str_addf(m->ctx, &m->text, "        %s: ", m->names[m->n]);
  annotation(m, &a);
  sp_str_add(m->ctx, &m->text, " = ");
  m->vars[m->n++] = a;
}

#define SAY(...) sp_str_addf(m->ctx, &m->text, __VA_ARGS__)
#define LL(x) ((long long)(x))

static void make_reshape(maker *m, const arr *a, const char *v) {
  int64_t n = arr_size(a), dims[2] = {n, 1};
  for (int64_t k = 2; k < 5; k++) {
    if (n % k == 0 && pick(m, 2)) {
      dims[0] = n / k;
      dims[1] = k;
    }
  }
  if (!arr_contiguous(a)) {
    return;
  }
  begin(m, view_reshape(*a, 2, dims));
  SAY("torch.ops.aten.view.default(%s, [%lld, %lld])\n", v, LL(dims[0]),
      LL(dims[1]));
}

static void make_order(maker *m, const arr *a, const char *v) {
  if (a->n_dims == 2 && pick(m, 2)) {
    begin(m, view_transpose(*a, 0, 1));
    SAY("torch.ops.aten.t.default(%s)\n", v);
  } else if (a->n_dims == 3) {
    static const int64_t orders[2][3] = {{1, 2, 0}, {2, 0, 1}};
    const int64_t *o = orders[pick(m, 2)];
    begin(m, view_permute(*a, o));
    SAY("torch.ops.aten.permute.default(%s, [%lld, %lld, %lld])\n", v, LL(o[0]),
        LL(o[1]), LL(o[2]));
  } else {
    int x = (int)pick(m, a->n_dims), y = (int)pick(m, a->n_dims);
    begin(m, view_transpose(*a, x, y));
    SAY("torch.ops.aten.transpose.int(%s, %d, %d)\n", v, x, y);
  }
}

static void make_part(maker *m, const arr *a, const char *v) {
  int64_t dim = pick(m, a->n_dims), n = a->dims[dim];
  int64_t start = pick(m, n), end = start + 1 + pick(m, n - start);
  switch (pick(m, 5)) {
  case 0:
    if (a->n_dims > 1) {
      begin(m, view_select(*a, dim, start));
      SAY("torch.ops.aten.select.int(%s, %lld, %lld)\n", v, LL(dim), LL(start));
    }
    break;
  case 1:
    begin(m, view_slice(*a, dim, start, end, 2));
    SAY("torch.ops.aten.slice.Tensor(%s, %lld, %lld, %lld, 2)\n", v, LL(dim),
        LL(start), LL(end));
    break;
  case 2:
    begin(m, view_slice(*a, dim, start, end, 1));
    SAY("%s.narrow(%lld, %lld, %lld)\n", v, LL(dim), LL(start),
        LL(end - start));
    break;
  case 3:
    if (a->n_dims == 2) {
      begin(m, view_diagonal(*a));
      SAY("torch.ops.aten.diagonal.default(%s)\n", v);
    }
    break;
  default:
    if (a->n_dims > 1) {
      start = pick(m, a->dims[0]);
      begin(m, view_select(*a, 0, start));
      SAY("%s[%lld]\n", v, LL(start));
    }
    break;
  }
}

/* Two or more getitems of one operator. */
static void make_parts(maker *m, const arr *a, const char *v) {
  int64_t dim = pick(m, a->n_dims), n = a->dims[dim];
  int64_t size = n > 1 ? 1 + pick(m, n - 1) : 1, count = (n + size - 1) / size;
  int tuple = m->n_named++;
  bool unbind = a->n_dims > 1 && pick(m, 2), sizes = pick(m, 2);
  if (count > MAX_PARTS || m->n + 2 >= MAX_VARS) {
    return;
  }
  SAY("        s%d = torch.ops.aten.", tuple);
  if (unbind) {
    SAY("unbind.int(%s, %lld)\n", v, LL(dim));
    count = n;
  } else if (sizes && n > size) {
    SAY("split_with_sizes.default(%s, [%lld, %lld], %lld)\n", v, LL(size),
        LL(n - size), LL(dim));
    count = 2;
  } else {
    sizes = false;
    SAY("split.Tensor(%s, %lld, %lld)\n", v, LL(size), LL(dim));
  }
  for (int64_t i = 0; i < 2; i++) {
    int64_t k = i ? count - 1 : pick(m, count);
    int64_t start = k * size;
    int64_t end = (sizes && k) || start + size > n ? n : start + size;
    begin(m, unbind ? view_select(*a, dim, k)
                    : view_slice(*a, dim, start, end, 1));
    SAY("s%d[%lld]\n", tuple, LL(k));
  }
}

static void make_view(maker *m, const arr *a, const char *v) {
  switch (pick(m, 6)) {
  case 0:
    make_reshape(m, a, v);
    break;
  case 1:
    make_order(m, a, v);
    break;
  case 2:
    make_parts(m, a, v);
    break;
  case 3:
    if (a->n_dims < 3) {
      int64_t dim = pick(m, a->n_dims + 1);
      begin(m, view_unsqueeze(*a, dim));
      SAY("torch.ops.aten.unsqueeze.default(%s, %lld)\n", v, LL(dim));
    } else {
      begin(m, *a);
      SAY("torch.ops.aten.detach.default(%s)\n", v);
    }
    break;
  default:
    make_part(m, a, v);
    break;
  }
}

static void make_fresh(maker *m, const arr *a, const char *v) {
  arr b = arr_copy(m->ctx, a);
  bool neg = pick(m, 2);
  for (int64_t k = 0; neg && k < arr_size(&b); k++) {
    b.data[k] = -b.data[k];
  }
  begin(m, b);
  SAY("torch.ops.aten.%s.default(%s)\n", neg ? "neg" : "clone", v);
}

static void make_copy(maker *m, arr *a, const char *v) {
  for (int i = 0; i < m->n; i++) {
    const arr *b = &m->vars[i];
    if (b->n_dims == a->n_dims &&
        memcmp(b->dims, a->dims, (size_t)a->n_dims * sizeof *a->dims) == 0 &&
        pick(m, 3) == 0) {
      arr value = arr_copy(m->ctx, b);
      char from[8];
      memcpy(from, m->names[i], sizeof from);
      arr_set(a, &value);
      begin(m, *a);
      SAY("torch.ops.aten.copy_.default(%s, %s)\n", v, from);
      return;
    }
  }
}

static void make_write(maker *m, arr *a, const char *v) {
  int64_t c = 1 + pick(m, 9);
  static const char *const calls[] = {"add_.Tensor", "mul_.Scalar",
                                      "fill_.Scalar", "zero_.default"};
  int64_t kind = pick(m, 6);
  if (kind == 5) {
    make_copy(m, a, v);
    return;
  }
  for (int64_t k = 0; k < arr_size(a); k++) {
    double *x = arr_at(a, k);
    *x = kind == 0 || kind == 4 ? *x + (double)c
         : kind == 1            ? *x * (double)c
         : kind == 2            ? (double)c
                                : 0;
  }
  if (kind == 4) {
    SAY("        %s += %lld;  ", v, LL(c));
    snprintf(m->names[m->n], sizeof m->names[0], "v%d", m->n_named++);
    SAY("%s = %s\n", m->names[m->n], v);
    m->vars[m->n++] = *a;
    return;
  }
  begin(m, *a);
  SAY("torch.ops.aten.%s(%s", calls[kind], v);
  if (kind < 3) {
    SAY(", %lld", LL(c));
  }
  SAY(")\n");
}

static void make_program(maker *m, const arr *inputs) {
  SAY("class f(torch.nn.Module):\n    def forward(self, v0: ");
  for (int i = 0; i < 2; i++) {
    snprintf(m->names[i], sizeof m->names[0], "v%d", i);
    m->vars[i] = arr_copy(m->ctx, &inputs[i]);
    SAY(i ? ", v1: " : "");
    annotation(m, &inputs[i]);
  }
  m->n = m->n_named = 2;
  SAY("):\n");
  int64_t steps = 3 + pick(m, 20);
  for (int64_t s = 0; s < steps && m->n + 3 < MAX_VARS; s++) {
    int64_t at = pick(m, m->n);
    arr a = m->vars[at];
    char v[8];
    memcpy(v, m->names[at], sizeof v);
    int64_t kind = pick(m, 8);
    if (kind < 5) {
      make_view(m, &a, v);
    } else if (kind == 5) {
      make_fresh(m, &a, v);
    } else {
      make_write(m, &a, v);
    }
  }
  SAY("        return (");
  for (int i = 0; i < m->n; i++) {
    SAY("%s, ", m->names[i]);
  }
  SAY(")\n");
}

typedef struct job {
  const sp_str *text;
  const sp_program *p;
} job;

static void job_run(sp_ctx *ctx, void *arg) {
  job *j = arg;
  j->p = sp_fx_read_text(ctx, "t.py", j->text->v, j->text->n);
}

static bool one_program(uint64_t seed) {
  sp_ctx *ctx = sp_ctx_new(NULL);
  static const int64_t dims[2][2] = {{4, 6}, {6, 4}};
  arr inputs[2];
  for (int i = 0; i < 2; i++) {
    inputs[i] = arr_new(ctx, 2, dims[i]);
    for (int64_t k = 0; k < 24; k++) {
      inputs[i].data[k] = (double)(100 * (i + 1) + k);
    }
  }
  maker m = {.ctx = ctx, .random = seed * 0x9E3779B97F4A7C15u + 1};
  make_program(&m, inputs);
  job j = {&m.text, NULL};
  bool good = sp_protect(ctx, job_run, &j) == SP_OK;
  run r = {.ctx = ctx, .p = j.p};
  if (good) {
    run_program(&r, inputs);
    good = j.p->n_results == (uint32_t)m.n;
  }
  for (int i = 0; good && i < m.n; i++) {
    const arr *got = &r.value[j.p->results[i]], *want = &m.vars[i];
    good = arr_size(got) == arr_size(want);
    for (int64_t k = 0; good && k < arr_size(want); k++) {
      good = *arr_at(got, k) == *arr_at(want, k);
    }
    if (!good) {
      printf("\nseed %llu: %s\n", (unsigned long long)seed, m.names[i]);
    }
  }
  if (!good) {
    printf("\n%s%s\n", m.text.v, j.p ? "" : sp_ctx_error(ctx)->message);
  }
  sp_ctx_free(ctx);
  return good;
}

static void random_programs_agree_with_memory(void) {
  uint64_t n = long_mode() ? 200000 : 3000;
  for (uint64_t seed = 1; seed <= n; seed++) {
    bool good = one_program(seed);
    CU_ASSERT(good);
    if (!good) {
      return;
    }
  }
}

void suite_fx_alias(void) {
  CU_pSuite s = CU_add_suite("fx_alias", NULL, NULL);
  CU_add_test(s, "random_programs_agree_with_memory",
              random_programs_agree_with_memory);
}
