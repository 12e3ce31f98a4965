# Broken (the weight of the distance between means): Layer norm in one pass over blocks of a row. Each block has a mean and a sum of squares around it;
# they are merged into what was seen so far (Welford; Chan, Golub, LeVeque).
mesh g[4]
let M = 16, N = 128, S = 8, B = N/S

input x[M, N], w[N], b[N]

sequential {
  mu[i < M] = (sum(k < N) x[i, k]) / N
  v[i < M] = (sum(k < N) (x[i, k] - mu[i])^2) / N
  y[i < M, k < N] = (x[i, k] - mu[i]) * rsqrt(v[i] + 1/100000) * w[k] + b[k]
}

parallel on g {
  a = x shard(0) over g
  mean[i < M/4] = 0
  m2[i < M/4] = 0
  repeat s < S {
    # the block: B elements
    mb[i < M/4] = (sum(k < B) a[i, k + B*s]) / B
    m2b[i < M/4] = sum(k < B) (a[i, k + B*s] - mb[i])^2
    # merged with the B*s elements before it
    d[i < M/4] = mb[i] - mean[i]
    mean[i < M/4] = mean[i] + d[i] / (s + 1)
    m2[i < M/4] = m2[i] + m2b[i] + d[i]^2 * B
  }
  z[i < M/4, k < N] = (a[i, k] - mean[i]) * rsqrt(m2[i] / N + 1/100000) * w[k] + b[k]
}

prove z is y shard(0) over g

expect violation at z
