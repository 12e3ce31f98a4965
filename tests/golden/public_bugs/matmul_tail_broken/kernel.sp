let M = 6, N = 5, K = 22, B = 8
input A[M, K], W[K, N]
sequential { C[i < M, j < N] = sum(k < K) A[i, k] * W[k, j] }
mesh g[1]
parallel on g {
  acc[i < M, j < N] = 0
  for s in 0..ceil(K / B) {
    acc[i < M, j < N] = acc[i, j] + sum(k < B) (if k < K then A[i, k + B*s] * W[k + B*s, j] else 0)
  }
}
prove acc is C replicated
