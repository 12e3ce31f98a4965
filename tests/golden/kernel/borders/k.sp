# Broken (the upper halo is the wrong row): A five-point stencil on a torus, in blocks over a 4 x 4 mesh: halos from four neighbours.
mesh r[4], c[4]
let N = 4096, B = N/4

input X[N, N]

sequential {
  Y[i < N, j < N] = X[(i - 1) mod N, j] + X[(i + 1) mod N, j] + X[i, (j - 1) mod N] + X[i, (j + 1) mod N] - 4*X[i, j]
}

parallel on r, c {
  x = X shard(0) over r, shard(1) over c
  up[j < B] = x@(r = (@r - 1) mod 4)[0, j]
  down[j < B] = x@(r = (@r + 1) mod 4)[0, j]
  left[i < B] = x@(c = (@c - 1) mod 4)[i, B - 1]
  right[i < B] = x@(c = (@c + 1) mod 4)[i, 0]
  a[i < B, j < B] = if i > 0 then x[i - 1, j] else up[j]
  b[i < B, j < B] = if i < B - 1 then x[i + 1, j] else down[j]
  l[i < B, j < B] = if j > 0 then x[i, j - 1] else left[i]
  d[i < B, j < B] = if j < B - 1 then x[i, j + 1] else right[i]
  y[i < B, j < B] = a[i, j] + b[i, j] + l[i, j] + d[i, j] - 4*x[i, j]
}

prove y is Y shard(0) over r, shard(1) over c

expect violation at y
