# Causal attention that goes over the keys block by block. One line is wrong.
mesh g[8]
let S = 32, D = 8, T = 4, B = S/T, R = S/8

input Q[S, D], K[S, D], V[S, D]

sequential {
  X[i < S, j < S] = if j <= i then (sum(d < D) Q[i, d] * K[j, d]) / 4 else -inf
  P[i < S, j < S] = exp(X[i, j] - (max(t < S) X[i, t]))
  O[i < S, d < D] = (sum(j < S) P[i, j] * V[j, d]) / (sum(j < S) P[i, j])
}

parallel on g {
  q = Q shard(0) over g
  k = K replicated
  v = V replicated
  m[i < R] = -inf
  l[i < R] = 0
  o[i < R, d < D] = 0
  repeat t < T {
    #: answer
    x[i < R, j < B] = if t*B + j <= @g*R + i then (sum(d < D) q[i, d] * k[t*B + j, d]) / 4 else -inf
    n[i < R] = max(m[i], max(j < B) x[i, j])
    l[i < R] = l[i] * exp(m[i] - n[i]) + (sum(j < B) exp(x[i, j] - n[i]))
    m = n
    o[i < R, d < D] = o[i, d] * exp(m[i] - n[i]) + (sum(j < B) exp(x[i, j] - n[i]) * v[t*B + j, d])
    #: end
  }
  out[i < R, d < D] = o[i, d] / l[i]
}

prove out is O shard(0) over g
