# Flash attention, causal: a block has B rows of Q and goes over the blocks of K and V, with a running maximum and sum.
mesh b[8]
let S = 64, D = 16, B = S/8

input Q[S, D], K[S, D], V[S, D]

sequential {
  X[i < S, j < S] = if j <= i then (sum(d < D) Q[i, d] * K[j, d]) / 4 else -inf
  P[i < S, j < S] = exp(X[i, j] - (max(t < S) X[i, t]))
  O[i < S, d < D] = (sum(j < S) P[i, j] * V[j, d]) / (sum(j < S) P[i, j])
}

parallel on b {
  q = Q shard(0) over b
  m[i < B] = -inf
  l[i < B] = 0
  o[i < B, d < D] = 0
  repeat t < 8 {
    x[i < B, j < B] = if t*B + j <= @b*B + i then (sum(d < D) q[i, d] * K[t*B + j, d]) / 4 else -inf
    n[i < B] = max(m[i], max(j < B) x[i, j])
    l[i < B] = l[i] * exp(m[i] - n[i]) + (sum(j < B) exp(x[i, j] - n[i]))
    o[i < B, d < D] = o[i, d] * exp(m[i] - n[i]) + (sum(j < B) exp(x[i, j] - n[i]) * V[t*B + j, d])
    m = n
  }
  out[i < B, d < D] = o[i, d] / l[i]
}

prove out is O shard(0) over b
