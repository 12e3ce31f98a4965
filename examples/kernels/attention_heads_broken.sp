# Broken (the sum goes over the wrong axis): Heads over one axis, batch over another; the output projection gives addends, which are reduced.
mesh dp[2], tp[4]
let N = 8, S = 16, H = 8, D = 4, E = H*D

input Q[N, S, H, D], K[N, S, H, D], V[N, S, H, D], W[H, D, E]

sequential {
  X[n < N, h < H, i < S, j < S] = if j <= i then (sum(d < D) Q[n, i, h, d] * K[n, j, h, d]) * 0.125 else -inf
  P[n < N, h < H, i < S, j < S] = exp(X[n, h, i, j] - (max(t < S) X[n, h, i, t]))
  A[n < N, i < S, h < H, d < D] = (sum(j < S) P[n, h, i, j] * V[n, j, h, d]) / (sum(j < S) P[n, h, i, j])
  O[n < N, i < S, e < E] = sum(h < H, d < D) A[n, i, h, d] * W[h, d, e]
}

parallel on dp, tp {
  q = Q shard(0) over dp, shard(2) over tp
  k = K shard(0) over dp, shard(2) over tp
  v = V shard(0) over dp, shard(2) over tp
  w = W shard(0) over tp
  x[n < N/2, h < H/4, i < S, j < S] = if j <= i then (sum(d < D) q[n, i, h, d] * k[n, j, h, d]) * 0.125 else -inf
  p[n < N/2, h < H/4, i < S, j < S] = exp(x[n, h, i, j] - (max(t < S) x[n, h, i, t]))
  a[n < N/2, i < S, h < H/4, d < D] = (sum(j < S) p[n, h, i, j] * v[n, j, h, d]) / (sum(j < S) p[n, h, i, j])
  part[n < N/2, i < S, e < E] = sum(h < H/4, d < D) a[n, i, h, d] * w[h, d, e]
  o = all_reduce(sum, part) over dp
}

prove o is O shard(0) over dp

expect violation at o
