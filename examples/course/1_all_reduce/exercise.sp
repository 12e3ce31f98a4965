# A matrix product whose inner dimension K is cut over the ranks.
mesh g[4]
let M = 16, N = 12, K = 32

input X[M, K], W[K, N]

sequential {
  Y[i < M, j < N] = sum(k < K) X[i, k] * W[k, j]
}

parallel on g {
  x = X shard(1) over g
  w = W shard(0) over g
  part[i < M, j < N] = sum(k < K/4) x[i, k] * w[k, j]
  #: answer
  y = part
  #: end
}

prove y is Y replicated over g
