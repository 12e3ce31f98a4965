# The transpose between the two passes of a distributed FFT: rows to columns by one all-to-all.
mesh g[8]
let N = 64, B = N/8

input X[N, N]

sequential {
  T[i < N, j < N] = X[j, i]
}

parallel on g {
  x = X shard(0) over g
  y = all_to_all(x, 1, 0) over g  # all rows of our columns
  t[i < B, j < N] = y[j, i]
}

prove t is T shard(0) over g
