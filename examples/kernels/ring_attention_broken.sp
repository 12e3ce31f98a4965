# Broken: causal ring attention for one head: rank @g owns rows @g*B ... @g*B + B - 1.
mesh g[4]
let S = 64, D = 16, B = S/4

input Q[S, D], K[S, D], V[S, D]

sequential {
  X[i < S, j < S] = if j <= i then (sum(d < D) Q[i, d] * K[j, d]) / 8 else -inf
  P[i < S, j < S] = exp(X[i, j] - (max(t < S) X[i, t]))
  O[i < S, d < D] = (sum(j < S) P[i, j] * V[j, d]) / (sum(j < S) P[i, j])
}

parallel on g {
  q = Q shard(0) over g
  k = K shard(0) over g
  v = V shard(0) over g
  m[i < B] = -inf
  l[i < B] = 0
  o[i < B, d < D] = 0
  repeat s < 4 {
    let owner = (@g + s) mod 4  # fault: blocks come the other way round
    x[i < B, j < B] = if owner*B + j <= @g*B + i then (sum(d < D) q[i, d] * k[j, d]) / 8 else -inf
    n[i < B] = max(m[i], max(j < B) x[i, j])
    l[i < B] = l[i] * exp(m[i] - n[i]) + (sum(j < B) exp(x[i, j] - n[i]))
    o[i < B, d < D] = o[i, d] * exp(m[i] - n[i]) + (sum(j < B) exp(x[i, j] - n[i]) * v[j, d])
    m = n
    k = k@(g = (@g - 1) mod 4)
    v = v@(g = (@g - 1) mod 4)
  }
  out[i < B, d < D] = o[i, d] / l[i]
}

prove out is O shard(0) over g

expect violation at out
