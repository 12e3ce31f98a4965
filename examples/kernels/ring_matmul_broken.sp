# Broken (blocks come from the other side): Collective matmul: while a rank multiplies by the block it has, the blocks of B move around the ring.
mesh g[8]
let M = 64, N = 32, K = 48, B = N/8, R = M/8

input A[M, K], W[K, N]

sequential {
  C[i < M, j < N] = sum(k < K) A[i, k] * W[k, j]
}

parallel on g {
  a = A shard(0) over g
  w = W shard(1) over g
  c[i < R, j < N] = 0
  repeat s < 8 {
    let owner = (@g + s) mod 8
    p[i < R, j < B] = sum(k < K) a[i, k] * w[k, j]
    c[i < R, j < N] = if j div B == owner then p[i, j mod B] else c[i, j]
    w = w@(g = (@g - 1) mod 8)
  }
}

prove c is C shard(0) over g

expect violation at c
