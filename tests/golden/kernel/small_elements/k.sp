# Broken (the old sum is not rescaled): online softmax: one pass over blocks of a row, with a running maximum and sum; a rank has some rows.
mesh g[8]
let M = 4096, N = 4096, T = 8, B = N/T, R = M/8

input X[M, N]

sequential {
  E[i < M, j < N] = exp(X[i, j] - (max(k < N) X[i, k]))
  S[i < M, j < N] = E[i, j] / (sum(k < N) E[i, k])
}

parallel on g {
  x = X shard(0) over g
  m[i < R] = -inf
  l[i < R] = 0
  repeat t < T {
    n[i < R] = max(m[i], max(j < B) x[i, t*B + j])
    l[i < R] = l[i] + (sum(j < B) exp(x[i, t*B + j] - n[i]))
    m = n
  }
  s[i < R, j < N] = exp(x[i, j] - m[i]) / l[i]
}

prove s is S shard(0) over g

expect violation at s
