# Broken (rows of D are strided by the number of blocks): Block-sparse matrix products of a batch: T blocks of B x B, their block rows and columns as a list; the batch is cut over ranks.
mesh g[4]
let Z = 8, T = 6, B = 4, MB = 3, KB = 5, N = 8

input Blocks[T, B, B], Row[T]: int, Col[T]: int, D[Z, KB*B, N]
assume 0 <= Row < MB
assume 0 <= Col < KB

sequential {
  # block t as a dense row of blocks, times D
  P[z < Z, t < T, i < B, n < N] =
      sum(k < KB*B)
  (if Col[t] == k div B then Blocks[t, i, k mod B] else 0) * D[z, k, n]
  Y[z < Z, i < MB*B, n < N] =
      sum(t < T) if Row[t] == i div B then P[z, t, i mod B, n] else 0
}

parallel on g {
  d = D shard(0) over g
  p[z < Z/4, t < T, i < B, n < N] = sum(k < B) Blocks[t, i, k] * d[z, Col[t] + KB*k, n]
  y[z < Z/4, i < MB*B, n < N] =
      sum(t < T) if Row[t] == i div B then p[z, t, i mod B, n] else 0
}

prove y is Y shard(0) over g

expect violation at y
