# Bias, GELU and dropout in one kernel, tiles of rows and columns on two axes; the mask is read by the position in the whole tensor.
mesh dp[2], tp[4]
let M = 16, N = 32, R = M/2, C = N/4

input X[M, N], Bias[N], Keep[M*N]: bool, p

sequential {
  Z[i < M, j < N] = X[i, j] + Bias[j]
  G[i < M, j < N] = gelu(Z[i, j])
  Y[i < M, j < N] = if Keep[i*N + j] then G[i, j] / (1 - p) else 0
}

parallel on dp, tp {
  x = X shard(0) over dp, shard(1) over tp
  b = Bias shard(0) over tp
  y[i < R, j < C] =
      if Keep[(R*@dp + i)*N + C*@tp + j] then gelu(x[i, j] + b[j]) / (1 - p)
      else 0
}

prove y is Y shard(0) over dp, shard(1) over tp
