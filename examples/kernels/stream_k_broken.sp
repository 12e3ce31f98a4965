# Broken: the parts of the workers' second tiles are left out.
# Stream-K: the steps of all R x C tiles, Z for each (blocks of K), are dealt out evenly, S to each worker, also where that
# cuts a tile. So a worker has parts of two tiles at most, and the parts of a tile are added.
mesh w[4]
let R = 2, C = 3, Z = 4, S = 6, T = 8, U = 8, M = R*T, N = C*T, K = Z*U

input A[M, K], B[K, N]

sequential {
  D[i < M, j < N] = sum(k < K) A[i, k] * B[k, j]
}

parallel on w {
  let first = S*@w div Z
  part[h < 2, i < T, j < T] = 0  # of tile first + h; tiles are numbered row by row
  repeat s < S {
    let step = S*@w + s, z = step mod Z
    part[h < 2, i < T, j < T] = if first + h == step div Z
        then part[h, i, j] + (sum(u < U) A[(first + h) div C * T + i, z*U + u] * B[z*U + u, (first + h) mod C * T + j])
        else part[h, i, j]
  }
  tile[t < R*C, i < T, j < T] = sum(q < 4) if 0 <= t - S*q div Z < 1 then part@(w = q)[t - S*q div Z, i, j] else 0
  d[i < M, j < N] = tile[i div T * C + j div T, i mod T, j mod T]
}

prove d is D replicated over w

expect violation at d
