# What does each rank have after this all-to-all? Write the promises.
mesh g[4]
let N = 16, B = N/4

input A[N, N]

sequential {
  T[i < N, j < N] = A[j, i]
  S[i < N] = sum(j < N) A[i, j]
}

parallel on g {
  a = A shard(0) over g  # rows
  c = all_to_all(a, 1, 0) over g  # columns: c[i, j] for all rows i
  t[j < B, i < N] = c[i, j]
  s0[i < N] = sum(j < B) c[i, j]
  s = reduce_scatter(sum, s0, 0) over g
  u[i < B, d < 4] = t[i, 4*d + (@g + d) mod 4]  # a diagonal of each rank's blocks
}

prove t is T
#: answer
replicated
#: end
prove s is S
#: answer
replicated
#: end
prove only u[i, d] is T[
#: answer
    i, d
#: end
    ]
