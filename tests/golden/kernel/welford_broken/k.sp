mesh g[2]
let M = 8, N = 16
input x[M, N]
sequential {
  mu[i < M] = (sum(k < N) x[i, k]) / N
  v[i < M] = (sum(k < N) (x[i, k] - mu[i])^2) / N
}
parallel on g {
  a = x shard(0) over g
  m[i < M/2] = 0
  m2[i < M/2] = 0
  repeat s < N {
    d[i < M/2] = a[i, s] - m[i]
    m[i < M/2] = m[i] + d[i] / (s+1)
    m2[i < M/2] = m2[i] + d[i] * (a[i, s] - m[i])
  }
  w[i < M/2] = m2[i] / (N-1)
}
prove w is v shard(0) over g
