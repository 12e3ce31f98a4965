# Equal, though nobody proves it: rounding leaves differences as large as the elements themselves.
mesh g[2]
let N = 8

input X[N]

sequential {
  Y[i < N] = 1024 * tanh(X[i] * 0.0000000000001)
}

parallel on g {
  x = X shard(0) over g
  y[i < N/2] = 1024 * (exp(x[i] * 0.0000000000002) - 1) / (exp(x[i] * 0.0000000000002) + 1)
}

prove y is Y shard(0) over g
