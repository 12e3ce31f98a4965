# Cannon's matrix multiplication: blocks of A move along rows, blocks of B along columns.
mesh r[4], c[4]
let M = 32, N = 48, K = 64

input A[M, K], B[K, N]

sequential {
  C[i < M, j < N] = sum(k < K) A[i, k] * B[k, j]
}

parallel on r, c {
  a = A shard(0) over r, shard(1) over c
  b = B shard(0) over r, shard(1) over c
  # skew: row r starts with block column r + c, column c with block row r + c
  a = a@(c = (@c + @r) mod 4)
  b = b@(r = (@r + @c) mod 4)
  acc[i < M/4, j < N/4] = 0
  repeat s < 4 {
    acc[i < M/4, j < N/4] = acc[i, j] + sum(k < K/4) a[i, k] * b[k, j]
    a = a@(c = (@c + 1) mod 4)
    b = b@(r = (@r + 1) mod 4)
  }
}

prove acc is C shard(0) over r, shard(1) over c
