# Broken: the width of the group is taken for its height.
# Tiles in the order that keeps the cache warm: programs go down G rows of tiles before they go one column on.
mesh pid[32]
let T = 8, R = 8, Q = 4, G = 2, M = R*T, N = Q*T, K = 32

input A[M, K], B[K, N]

sequential {
  C[i < M, j < N] = sum(k < K) A[i, k] * B[k, j]
}

parallel on pid {
  let row = @pid div (G*Q) * G + @pid mod G, column = @pid mod (G*Q) div Q
  c[i < T, j < T] = sum(k < K) A[row*T + i, k] * B[k, column*T + j]
}

prove c[i, j] is C[(@pid div (G*Q) * G + @pid mod G)*T + i, @pid mod (G*Q) div G * T + j]

expect violation at c
