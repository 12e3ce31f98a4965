# SUMMA: in step s block column s of A is broadcast along rows, block row s of B along columns.
mesh r[4], c[4]
let M = 32, N = 48, K = 64

input A[M, K], B[K, N]

sequential {
  C[i < M, j < N] = sum(k < K) A[i, k] * B[k, j]
}

parallel on r, c {
  a = A shard(0) over r, shard(1) over c
  b = B shard(0) over r, shard(1) over c
  acc[i < M/4, j < N/4] = 0
  repeat s < 4 {
    as = broadcast(a, s) over c
    bs = broadcast(b, s) over r
    acc[i < M/4, j < N/4] = acc[i, j] + sum(k < K/4) as[i, k] * bs[k, j]
  }
}

prove acc is C shard(0) over r, shard(1) over c
