mesh g[8]
let M = 8, N = 64
input x[M, N]
sequential {
  mu[i < M] = (sum(k < N) x[i, k]) / N
  v[i < M] = (sum(k < N) (x[i, k] - mu[i])^2) / N
}
parallel on g {
  a = x shard(1) over g
  s1[i < M] = sum(k < N/8) a[i, k]
  s2[i < M] = sum(k < N/8) a[i, k]^2
  t1 = all_reduce(sum, s1) over g
  t2 = all_reduce(sum, s2) over g
  m[i < M] = t1[i] / N
  w[i < M] = t2[i] / (N-1) - m[i]^2
}
prove w is v replicated over g
