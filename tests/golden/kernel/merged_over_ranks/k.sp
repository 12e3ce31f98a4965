mesh g[8]
let M = 8, N = 64, B = N/8
input x[M, N]
sequential {
  mu[i < M] = (sum(k < N) x[i, k]) / N
  v[i < M] = (sum(k < N) (x[i, k] - mu[i])^2) / N
}
parallel on g {
  a = x shard(1) over g
  mr[i < M] = (sum(k < B) a[i, k]) / B
  m2[i < M] = sum(k < B) (a[i, k] - mr[i])^2
  m[i < M] = (sum(q < 8) mr@(g = q)[i]) / 8
  w[i < M] = (sum(q < 8) (m2@(g = q)[i] + B*(mr@(g = q)[i] - m[i])^2)) / N
}
prove w is v replicated over g
