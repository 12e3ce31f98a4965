mesh g[4]
let M = 16, N = 64
input x[M, N]
sequential {
  s[i < M] = sum(k < N) x[i, k]
  y[i < M] = 0 - s[i]
  z[i < M] = cos(s[i])
}
parallel on g {
  a = x shard(1) over g
  p[i < M] = sum(k < N/4) a[i, k]
  t = all_reduce(sum, p) over g
  c[i < M] = cos(t[i])
  n[i < M] = 0 - 2*p[i]
  r = reduce_scatter(sum, n, 0) over g
}
prove c is z replicated over g
prove r is y shard(0) over g
