# Equal, though nobody proves it: s is 1 but for rounding, and what is done depends on whether it is.
mesh g[2]
let N = 8

input X[N]

sequential {
  Y[i < N] = X[i]
  Z[i < N] = X[i]
}

parallel on g {
  x = X shard(0) over g
  s[i < N/2] = sin(x[i])^2 + cos(x[i])^2
  y[i < N/2] = if s[i] == 1 then x[i] else 0
  z[i < N/2] = if s[i] - 1 != 0 then 0 else x[i]
}

prove y is Y shard(0) over g
prove z is Z shard(0) over g
