# Broken: the next tiles overwrite those in use.
# A matrix product with two buffers: while the tiles in one are multiplied, the next ones are loaded into the other.
mesh by[4], bx[4]
let M = 32, N = 32, K = 64, T = 8, U = 16

input A[M, K], B[K, N]

sequential {
  C[i < M, j < N] = sum(k < K) A[i, k] * B[k, j]
}

parallel on by, bx {
  a[p < 2, i < T, k < U] = if p == 0 then A[@by*T + i, k] else 0
  b[p < 2, k < U, j < T] = if p == 0 then B[k, @bx*T + j] else 0
  acc[i < T, j < T] = 0
  repeat t < K/U {
    let now = t mod 2, next = t mod 2, k0 = min((t + 1)*U, K - U)
    a[p < 2, i < T, k < U] = if p == next then A[@by*T + i, k0 + k] else a[p, i, k]
    b[p < 2, k < U, j < T] = if p == next then B[k0 + k, @bx*T + j] else b[p, k, j]
    acc[i < T, j < T] = acc[i, j] + sum(k < U) a[now, i, k] * b[now, k, j]
  }
}

prove acc is C shard(0) over by, shard(1) over bx

expect violation at acc
