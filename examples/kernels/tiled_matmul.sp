# A matrix product by tiles that do not divide the matrices: tiles of A and B go into shared memory, with zeros outside.
mesh by[5], bx[4]
let M = 70, N = 50, K = 40, T = 16

input A[M, K], B[K, N]

sequential {
  C[i < M, j < N] = sum(k < K) A[i, k] * B[k, j]
}

parallel on by, bx {
  acc[i < T, j < T] = 0
  repeat t < ceil(K / T) {
    a[i < T, k < T] = if @by*T + i < M and t*T + k < K then A[@by*T + i, t*T + k] else 0
    b[k < T, j < T] = if t*T + k < K and @bx*T + j < N then B[t*T + k, @bx*T + j] else 0
    acc[i < T, j < T] = acc[i, j] + sum(k < T) a[i, k] * b[k, j]
  }
}

prove acc[i, j] is C[@by*T + i, @bx*T + j] where @by*T + i < M and @bx*T + j < N
