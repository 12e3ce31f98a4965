/* campaign_run.c: runs both programs, in the most simple way: every element of
 * every node on every device, in double precision. Shares nothing with the
 * library's evaluator, so that the two check each other. Read camp_run. */
#include "tests/campaign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct runner {
  sp_ctx *ctx;
  const camp_program *p;
  int64_t devices;
  double **v; /* by node * devices + device */
} runner;

static const camp_node *operand(const runner *r, const camp_node *n,
                                uint32_t k) {
  return camp_at(r->p, n->in[k]);
}

static const double *values(const runner *r, const camp_node *n, uint32_t k,
                            int64_t device) {
  return r->v[(int64_t)n->in[k] * r->devices + device];
}

/* ---- indices ---- */

void camp_unflatten(const camp_node *n, int64_t flat, int64_t *idx) {
  for (uint32_t d = n->n_dims; d-- > 0;) {
    idx[d] = flat % n->dims[d];
    flat /= n->dims[d];
  }
}

int64_t camp_flatten(const camp_node *n, const int64_t *idx) {
  int64_t flat = 0;
  for (uint32_t d = 0; d < n->n_dims; d++) {
    flat = flat * n->dims[d] + idx[d];
  }
  return flat;
}

bool camp_inside(const camp_node *n, const int64_t *idx) {
  for (uint32_t d = 0; d < n->n_dims; d++) {
    if (idx[d] < 0 || idx[d] >= n->dims[d]) {
      return false;
    }
  }
  return true;
}

static int64_t clamped(double x, int64_t most) {
  return x < 0 ? 0 : x > (double)most ? most : (int64_t)x;
}

/* ---- scalars ---- */

static double bits(camp_op op, double a, double b) {
  int64_t x = (int64_t)a, y = (int64_t)b;
  return (double)(op == CAMP_OP_AND  ? (x & y)
                  : op == CAMP_OP_OR ? (x | y)
                                     : (x ^ y));
}

static bool compared(const char *direction, double a, double b) {
  bool less = a < b, equal = a == b;
  return strcmp(direction, "LT") == 0   ? less
         : strcmp(direction, "LE") == 0 ? less || equal
         : strcmp(direction, "GT") == 0 ? !less && !equal
         : strcmp(direction, "GE") == 0 ? !less
         : strcmp(direction, "EQ") == 0 ? equal
                                        : !equal;
}

static double apply(const camp_node *n, sp_dtype from, const double *x) {
  bool whole = from == SP_S32 || from == SP_U32;
  switch ((int)n->op) {
  case CAMP_OP_NEGATE:
    return -x[0];
  case CAMP_OP_ABS:
    return fabs(x[0]);
  case CAMP_OP_EXP:
    return exp(x[0]);
  case CAMP_OP_LOG:
    return log(x[0]);
  case CAMP_OP_TANH:
    return tanh(x[0]);
  case CAMP_OP_LOGISTIC:
    return 1 / (1 + exp(-x[0]));
  case CAMP_OP_SQRT:
    return sqrt(x[0]);
  case CAMP_OP_RSQRT:
    return 1 / sqrt(x[0]);
  case CAMP_OP_SINE:
    return sin(x[0]);
  case CAMP_OP_COSINE:
    return cos(x[0]);
  case CAMP_OP_CBRT:
    return cbrt(x[0]);
  case CAMP_OP_EXPM1:
    return expm1(x[0]);
  case CAMP_OP_LOG1P:
    return log1p(x[0]);
  case CAMP_OP_SIGN:
    return (x[0] > 0) - (x[0] < 0);
  case CAMP_OP_FLOOR:
    return floor(x[0]);
  case CAMP_OP_CEIL:
    return ceil(x[0]);
  case CAMP_OP_ROUND:
    return nearbyint(x[0]);
  case CAMP_OP_NOT:
    return n->type == SP_PRED ? x[0] == 0 : (double)~(int64_t)x[0];
  case CAMP_OP_COPY:
    return x[0];
  case CAMP_OP_CONVERT:
    return n->type == SP_S32 && !whole ? trunc(x[0]) : x[0];
  case CAMP_OP_ADD:
    return x[0] + x[1];
  case CAMP_OP_SUBTRACT:
    return x[0] - x[1];
  case CAMP_OP_MULTIPLY:
    return x[0] * x[1];
  case CAMP_OP_DIVIDE:
    return whole ? (x[1] == 0 ? -1 : trunc(x[0] / x[1])) : x[0] / x[1];
  case CAMP_OP_REMAINDER:
    return whole && x[1] == 0 ? x[0] : fmod(x[0], x[1]);
  case CAMP_OP_MAXIMUM:
    return x[0] > x[1] ? x[0] : x[1];
  case CAMP_OP_MINIMUM:
    return x[0] < x[1] ? x[0] : x[1];
  case CAMP_OP_POWER:
    return pow(x[0], x[1]);
  case CAMP_OP_ATAN2:
    return atan2(x[0], x[1]);
  case CAMP_OP_AND:
  case CAMP_OP_OR:
  case CAMP_OP_XOR:
    return bits(n->op, x[0], x[1]);
  case CAMP_OP_SHIFT_LEFT:
    return ldexp(x[0], (int)x[1]);
  case CAMP_OP_SHIFT_RIGHT:
    return floor(ldexp(x[0], -(int)x[1]));
  case CAMP_OP_COMPARE:
    return compared(n->direction, x[0], x[1]);
  case CAMP_OP_SELECT:
    return x[0] != 0 ? x[1] : x[2];
  case CAMP_OP_CLAMP:
    return x[1] < x[0] ? x[0] : x[1] > x[2] ? x[2] : x[1];
  default:
    return NAN;
  }
}

static double fold(camp_red red, sp_dtype t, double a, double b) {
  camp_node n = {.op = camp_red_op(red), .type = t};
  return apply(&n, t, (double[]){a, b});
}

/* ---- operators of one device: out[i] for all i ---- */

static void run_element(runner *r, const camp_node *n, int64_t device,
                        double *out) {
  for (int64_t i = 0; i < camp_elements(n); i++) {
    double x[CAMP_IN];
    for (uint32_t k = 0; k < n->n_in; k++) {
      bool scalar = operand(r, n, k)->n_dims == 0;
      x[k] = values(r, n, k, device)[scalar ? 0 : i];
    }
    out[i] = apply(n, operand(r, n, 0)->type, x);
  }
}

/* Operators that move elements: which element of operand 0 is element idx; or
 * false, where it is something else. */
static bool source(const camp_node *n, const camp_node *a, const int64_t *idx,
                   int64_t *at) {
  for (uint32_t d = 0; d < a->n_dims; d++) {
    at[d] = idx[d];
  }
  for (uint32_t d = 0; d < n->n_x; d++) {
    switch ((int)camp_op_kind(n->op)) {
    case CAMP_BROADCAST:
      at[d] = idx[n->x[d]];
      break;
    case CAMP_TRANSPOSE:
      at[n->x[d]] = idx[d];
      break;
    case CAMP_SLICE:
      at[d] = n->x[d] + idx[d] * n->z[d];
      break;
    case CAMP_REVERSE:
      at[n->x[d]] = n->dims[n->x[d]] - 1 - idx[n->x[d]];
      break;
    default: /* pad */
      at[d] = idx[d] - n->x[d];
      if (at[d] % (n->z[d] + 1) != 0) {
        return false;
      }
      at[d] /= n->z[d] + 1;
      break;
    }
  }
  return camp_inside(a, at);
}

static void run_moving(runner *r, const camp_node *n, int64_t device,
                       double *out) {
  const camp_node *a = operand(r, n, 0);
  for (int64_t i = 0; i < camp_elements(n); i++) {
    int64_t idx[CAMP_DIMS] = {0}, at[CAMP_DIMS] = {0};
    camp_unflatten(n, i, idx);
    out[i] = source(n, a, idx, at)
                 ? values(r, n, 0, device)[camp_flatten(a, at)]
                 : values(r, n, 1, device)[0];
  }
}

static void run_concat(runner *r, const camp_node *n, int64_t device,
                       double *out) {
  for (int64_t i = 0; i < camp_elements(n); i++) {
    int64_t idx[CAMP_DIMS];
    uint32_t k = 0;
    camp_unflatten(n, i, idx);
    while (idx[n->x[0]] >= operand(r, n, k)->dims[n->x[0]]) {
      idx[n->x[0]] -= operand(r, n, k++)->dims[n->x[0]];
    }
    out[i] = values(r, n, k, device)[camp_flatten(operand(r, n, k), idx)];
  }
}

static void run_reduce(runner *r, const camp_node *n, int64_t device,
                       double *out) {
  const camp_node *a = operand(r, n, 0);
  for (int64_t i = 0; i < camp_elements(n); i++) {
    out[i] = values(r, n, 1, device)[0];
  }
  for (int64_t i = 0; i < camp_elements(a); i++) {
    int64_t idx[CAMP_DIMS], kept[CAMP_DIMS];
    uint32_t k = 0;
    camp_unflatten(a, i, idx);
    for (uint32_t d = 0; d < a->n_dims; d++) {
      bool reduced = false;
      for (uint32_t e = 0; e < n->n_x; e++) {
        reduced = reduced || n->x[e] == d;
      }
      if (!reduced) {
        kept[k++] = idx[d];
      }
    }
    double *to = &out[camp_flatten(n, kept)];
    *to = fold(n->red, n->type, *to, values(r, n, 0, device)[i]);
  }
}

/* Position of dimension e of an operand among its free ones, or -1. */
static void dot_index(const camp_node *n, const camp_node *x, uint32_t side,
                      const int64_t *idx, uint32_t *next, int64_t *at) {
  const int64_t *contracting = side ? n->y : n->x;
  for (uint32_t e = 0; e < x->n_dims; e++) {
    bool found = false;
    for (uint32_t b = 0; b < 3 && n->z[2 * b] >= 0; b++) {
      if (n->z[2 * b + side] == e) {
        at[e] = idx[b];
        found = true;
      }
    }
    for (uint32_t k = 0; k < n->n_x; k++) {
      found = found || contracting[k] == e;
    }
    if (!found) {
      at[e] = idx[(*next)++];
    }
  }
}

static void run_dot(runner *r, const camp_node *n, int64_t device,
                    double *out) {
  const camp_node *a = operand(r, n, 0), *b = operand(r, n, 1);
  uint32_t batch = 0;
  while (batch < 3 && n->z[2 * batch] >= 0) {
    batch++;
  }
  for (int64_t i = 0; i < camp_elements(n); i++) {
    int64_t idx[CAMP_DIMS], at[CAMP_DIMS] = {0}, bt[CAMP_DIMS] = {0};
    uint32_t next = batch;
    camp_unflatten(n, i, idx);
    dot_index(n, a, 0, idx, &next, at);
    dot_index(n, b, 1, idx, &next, bt);
    out[i] = 0;
    for (int64_t k = 0; k < a->dims[n->x[0]]; k++) {
      at[n->x[0]] = bt[n->y[0]] = k;
      out[i] += values(r, n, 0, device)[camp_flatten(a, at)] *
                values(r, n, 1, device)[camp_flatten(b, bt)];
    }
  }
}

static void run_conv(runner *r, const camp_node *n, int64_t device,
                     double *out) {
  const camp_node *a = operand(r, n, 0), *w = operand(r, n, 1);
  for (int64_t i = 0; i < camp_elements(n); i++) {
    int64_t idx[CAMP_DIMS];
    camp_unflatten(n, i, idx);
    out[i] = 0;
    for (int64_t k = 0; k < w->dims[0]; k++) {
      for (int64_t f = 0; f < w->dims[1]; f++) {
        int64_t at[] = {idx[0], idx[1] * n->x[0] + k - n->x[1], f};
        int64_t wt[] = {k, f, idx[2]};
        if (camp_inside(a, at)) {
          out[i] += values(r, n, 0, device)[camp_flatten(a, at)] *
                    values(r, n, 1, device)[camp_flatten(w, wt)];
        }
      }
    }
  }
}

static void run_window(runner *r, const camp_node *n, int64_t device,
                       double *out) {
  const camp_node *a = operand(r, n, 0);
  camp_node w = {.n_dims = n->n_x};
  memcpy(w.dims, n->x, sizeof w.dims);
  for (int64_t i = 0; i < camp_elements(n); i++) {
    int64_t idx[CAMP_DIMS], k[CAMP_DIMS], at[CAMP_DIMS];
    camp_unflatten(n, i, idx);
    out[i] = values(r, n, 1, device)[0];
    for (int64_t j = 0; j < camp_elements(&w); j++) {
      camp_unflatten(&w, j, k);
      for (uint32_t d = 0; d < n->n_dims; d++) {
        at[d] = idx[d] * n->y[d] + k[d] - n->z[d] % 100;
      }
      if (camp_inside(a, at)) {
        out[i] = fold(n->red, n->type, out[i],
                      values(r, n, 0, device)[camp_flatten(a, at)]);
      }
    }
  }
}

static void run_gather(runner *r, const camp_node *n, int64_t device,
                       double *out) {
  const camp_node *a = operand(r, n, 0);
  bool many = operand(r, n, 1)->n_dims > 0;
  int64_t dim = n->x[0];
  for (int64_t i = 0; i < camp_elements(n); i++) {
    int64_t idx[CAMP_DIMS] = {0}, at[CAMP_DIMS];
    camp_unflatten(n, i, idx);
    uint32_t k = 0;
    for (uint32_t d = 0; d < a->n_dims; d++) {
      at[d] = d == dim && !many ? 0 : idx[k++];
    }
    double row = values(r, n, 1, device)[many ? at[dim] : 0];
    at[dim] = clamped(row, a->dims[dim] - 1);
    out[i] = values(r, n, 0, device)[camp_flatten(a, at)];
  }
}

static void run_scatter(runner *r, const camp_node *n, int64_t device,
                        double *out) {
  const camp_node *u = operand(r, n, 2);
  memcpy(out, values(r, n, 0, device), (size_t)camp_elements(n) * sizeof *out);
  for (int64_t i = 0; i < camp_elements(u); i++) {
    int64_t idx[CAMP_DIMS];
    camp_unflatten(u, i, idx);
    idx[n->x[0]] = (int64_t)values(r, n, 1, device)[idx[n->x[0]]];
    if (camp_inside(n, idx)) {
      double *to = &out[camp_flatten(n, idx)];
      *to = fold(n->red, n->type, *to, values(r, n, 2, device)[i]);
    }
  }
}

static void run_dynamic(runner *r, const camp_node *n, int64_t device,
                        double *out) {
  bool update = n->op == CAMP_OP_DYN_UPDATE;
  const camp_node *a = operand(r, n, 0), *part = update ? operand(r, n, 1) : n;
  int64_t start[CAMP_DIMS] = {0};
  for (uint32_t d = 0; d < n->n_dims; d++) {
    start[d] = clamped(values(r, n, d + 1 + update, device)[0],
                       a->dims[d] - part->dims[d]);
  }
  if (update) {
    memcpy(out, values(r, n, 0, device),
           (size_t)camp_elements(n) * sizeof *out);
  }
  for (int64_t i = 0; i < camp_elements(part); i++) {
    int64_t idx[CAMP_DIMS];
    camp_unflatten(part, i, idx);
    for (uint32_t d = 0; d < n->n_dims; d++) {
      idx[d] += start[d];
    }
    if (update) {
      out[camp_flatten(a, idx)] = values(r, n, 1, device)[i];
    } else {
      out[i] = values(r, n, 0, device)[camp_flatten(a, idx)];
    }
  }
}

static void run_sort(runner *r, const camp_node *n, int64_t device,
                     double *out) {
  int64_t stride = 1, size = n->dims[n->x[0]], count = camp_elements(n);
  for (uint32_t d = (uint32_t)n->x[0] + 1; d < n->n_dims; d++) {
    stride *= n->dims[d];
  }
  memcpy(out, values(r, n, 0, device), (size_t)count * sizeof *out);
  for (int64_t first = 0; first < count; first++) {
    if (first / stride % size != 0) {
      continue;
    }
    double *v = out + first;
    for (int64_t i = 1; i < size; i++) { /* by insertion */
      double x = v[i * stride];
      int64_t j = i;
      for (; j > 0 &&
             (n->x[1] ? x > v[(j - 1) * stride] : x < v[(j - 1) * stride]);
           j--) {
        v[j * stride] = v[(j - 1) * stride];
      }
      v[j * stride] = x;
    }
  }
}

static void run_given(const camp_node *n, int64_t device, double *out) {
  for (int64_t i = 0; i < camp_elements(n); i++) {
    int64_t idx[CAMP_DIMS];
    camp_unflatten(n, i, idx);
    out[i] = n->op == CAMP_OP_IOTA           ? (double)idx[n->x[0]]
             : n->op == CAMP_OP_PARTITION_ID ? (double)device
             : n->n_values == 1              ? n->values[0]
                                             : n->values[i];
  }
}

/* ---- operators of all devices together ---- */

static void find_member(const camp_node *n, int64_t device, const int64_t **ids,
                        int64_t *me) {
  for (uint32_t i = 0; i < n->n_groups * n->group_size; i++) {
    if (n->groups[i] == device) {
      *me = i % n->group_size;
      *ids = n->groups + i - *me;
    }
  }
}

static void run_collective(runner *r, const camp_node *n, int64_t device,
                           double *out) {
  const camp_node *a = operand(r, n, 0);
  const int64_t *ids = NULL;
  int64_t me = 0, dim = n->x[0], size = n->group_size;
  find_member(n, device, &ids, &me);
  for (int64_t i = 0; i < camp_elements(n); i++) {
    int64_t idx[CAMP_DIMS] = {0}, from = 0;
    camp_unflatten(n, i, idx);
    bool adds = n->op == CAMP_OP_ALL_REDUCE || n->op == CAMP_OP_REDUCE_SCATTER;
    if (n->op == CAMP_OP_REDUCE_SCATTER) {
      idx[dim] += me * n->dims[dim];
    } else if (n->op == CAMP_OP_ALL_GATHER) {
      from = idx[dim] / a->dims[dim];
      idx[dim] %= a->dims[dim];
    } else if (n->op == CAMP_OP_ALL_TO_ALL) {
      int64_t block = a->dims[dim] / size;
      from = idx[dim] / block;
      idx[dim] = me * block + idx[dim] % block;
    }
    int64_t at = camp_flatten(a, idx);
    out[i] = values(r, n, 0, ids[from])[at];
    for (int64_t k = 1; adds && k < size; k++) {
      out[i] = fold(n->red, n->type, out[i], values(r, n, 0, ids[k])[at]);
    }
  }
}

static void run_permute(runner *r, const camp_node *n, int64_t device,
                        double *out) {
  for (uint32_t k = 0; k < n->n_groups; k++) {
    if (n->groups[2 * k + 1] == device) {
      memcpy(out, values(r, n, 0, n->groups[2 * k]),
             (size_t)camp_elements(n) * sizeof *out);
    }
  }
}

/* ---- programs ---- */

static void run_loop(runner *r, const camp_node *n, uint32_t node) {
  int64_t devices = r->devices;
  size_t count = (n->n_in + 1) * (size_t)devices;
  double **in = sp_alloc_n(r->ctx, count, sizeof *in);
  for (int64_t d = 0; d < devices; d++) {
    for (uint32_t k = 0; k < n->n_in; k++) {
      in[(k + 1) * devices + d] = r->v[(int64_t)n->in[k] * devices + d];
    }
  }
  for (int64_t step = 0; step < n->trips; step++) {
    for (int64_t d = 0; d < devices; d++) {
      in[d] = sp_alloc(r->ctx, sizeof(double));
      in[d][0] = (double)step;
    }
    double **out = camp_run(r->ctx, n->body, devices, in);
    memcpy(in + devices, out, (size_t)devices * sizeof *in);
  }
  memcpy(r->v + node * devices, in + devices, (size_t)devices * sizeof *in);
}

static void run_node(runner *r, uint32_t node, int64_t device) {
  const camp_node *n = camp_at(r->p, node);
  double *out = sp_alloc_n(r->ctx, (size_t)camp_elements(n) + 1, sizeof *out);
  r->v[node * r->devices + device] = out;
  switch (camp_op_kind(n->op)) {
  case CAMP_GIVEN:
  case CAMP_IOTA:
    run_given(n, device, out);
    break;
  case CAMP_ELEMENT:
    run_element(r, n, device, out);
    break;
  case CAMP_BROADCAST:
  case CAMP_TRANSPOSE:
  case CAMP_SLICE:
  case CAMP_REVERSE:
  case CAMP_PAD:
    run_moving(r, n, device, out);
    break;
  case CAMP_RESHAPE:
    memcpy(out, values(r, n, 0, device),
           (size_t)camp_elements(n) * sizeof *out);
    break;
  case CAMP_CONCAT:
    run_concat(r, n, device, out);
    break;
  case CAMP_REDUCE:
    run_reduce(r, n, device, out);
    break;
  case CAMP_DOT:
    run_dot(r, n, device, out);
    break;
  case CAMP_CONV:
    run_conv(r, n, device, out);
    break;
  case CAMP_GATHER:
    run_gather(r, n, device, out);
    break;
  case CAMP_SCATTER:
    run_scatter(r, n, device, out);
    break;
  case CAMP_DYN_SLICE:
  case CAMP_DYN_UPDATE:
    run_dynamic(r, n, device, out);
    break;
  case CAMP_SORT:
    run_sort(r, n, device, out);
    break;
  case CAMP_WINDOW:
    run_window(r, n, device, out);
    break;
  case CAMP_COLLECTIVE:
    run_collective(r, n, device, out);
    break;
  case CAMP_PERMUTE:
    run_permute(r, n, device, out);
    break;
  case CAMP_LOOP:
    break;
  }
}

double **camp_run(sp_ctx *ctx, const camp_program *p, int64_t devices,
                  double *const *params) {
  runner r = {ctx, p, devices, NULL};
  bool *needed = camp_needed(p);
  size_t number = 0;
  r.v = sp_alloc_n(ctx, p->nodes.n * (size_t)devices + 1, sizeof *r.v);
  for (uint32_t i = 0; i < p->nodes.n; i++) {
    const camp_node *n = camp_at(p, i);
    if (number < p->params.n && p->params.v[number] == i) {
      memcpy(r.v + i * devices, params + number++ * (size_t)devices,
             (size_t)devices * sizeof *r.v);
    } else if (needed[i] && n->op == CAMP_OP_LOOP) {
      run_loop(&r, n, i);
    } else if (needed[i]) {
      for (int64_t d = 0; d < devices; d++) {
        run_node(&r, i, d);
      }
    }
  }
  double **out =
      sp_alloc_n(ctx, p->results.n * (size_t)devices + 1, sizeof *out);
  for (size_t k = 0; k < p->results.n; k++) {
    memcpy(out + k * (size_t)devices, r.v + p->results.v[k] * devices,
           (size_t)devices * sizeof *out);
  }
  return out;
}
