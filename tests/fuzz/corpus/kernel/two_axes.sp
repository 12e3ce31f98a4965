mesh dp[2], tp[2]
let N = 8, M = 4
input X[N, M], W[M]
sequential { C[i < N] = sum(k < M) X[i, k] * W[k] }
parallel on dp, tp {
  x = X shard(0) over dp, shard(1) over tp
  w = W shard(0) over tp
  c[i < N/2] = sum(k < M/2) x[i, k] * w[k]
  y = reduce_scatter(sum, c, 0) over tp
}
prove c is C shard(0) over dp, partial(sum) over tp
prove y is C shard(0) over dp, tp
