# Cross entropy over a vocabulary that is cut over the ranks: maximum, sum of exps and the target's logit are reduced.
mesh tp[8]
let T = 16, V = 64, C = V/8

input L[T, V], Target[T]: int
assume 0 <= Target < V

sequential {
  M[t < T] = max(v < V) L[t, v]
  Loss[t < T] = log(sum(v < V) exp(L[t, v] - M[t])) + M[t] - L[t, Target[t]]
}

parallel on tp {
  l = L shard(1) over tp
  m0[t < T] = max(v < C) l[t, v]
  m = all_reduce(max, m0) over tp
  s0[t < T] = sum(v < C) exp(l[t, v] - m[t])
  s = all_reduce(sum, s0) over tp
  k[t < T] = Target[t] - @tp*C  # the target's place among our columns
  x0[t < T] = if 0 <= k[t] < C then l[t, k[t]] else 0
  x = all_reduce(sum, x0) over tp
  loss[t < T] = log(s[t]) + m[t] - x[t]
}

prove loss is Loss replicated over tp
