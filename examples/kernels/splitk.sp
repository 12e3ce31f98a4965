# Split-K matrix multiplication: each rank multiplies a part of K, the parts are added.
mesh g[4]
let M = 64, N = 48, K = 128

input A[M, K], B[K, N]

sequential {
  C[i < M, j < N] = sum(k < K) A[i, k] * B[k, j]
}

parallel on g {
  a = A shard(1) over g  # a[i, k] = A[i, k + 32*@g]
  b = B shard(0) over g
  p[i < M, j < N] = sum(k < K/4) a[i, k] * b[k, j]
  c = all_reduce(sum, p) over g  # c[i < M, j < N] = sum(q < 4) p@(g = q)[i, j]
}

prove c is C replicated over g
