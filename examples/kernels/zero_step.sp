# A ZeRO step of Adam's kind: gradients are reduce-scattered, each rank updates its part, parameters are gathered.
mesh dp[8]
let N = 64

input W[N], G[8, N], M[N], V[N]

sequential {
  S[i < N] = (sum(r < 8) G[r, i]) / 8
  M2[i < N] = 0.9*M[i] + 0.1*S[i]
  V2[i < N] = 0.99*V[i] + 0.01*S[i]^2
  W2[i < N] = W[i] - 0.001*M2[i] / (sqrt(V2[i]) + 0.00001)
}

parallel on dp {
  g[i < N] = G[@dp, i]
  s = reduce_scatter(sum, g, 0) over dp
  s[i < N/8] = s[i] / 8
  w = W shard(0) over dp
  m = M shard(0) over dp
  v = V shard(0) over dp
  m[i < N/8] = 0.9*m[i] + 0.1*s[i]
  v[i < N/8] = 0.99*v[i] + 0.01*s[i]^2
  w[i < N/8] = w[i] - 0.001*m[i] / (sqrt(v[i]) + 0.00001)
  all = all_gather(w, 0) over dp
}

prove all is W2 replicated over dp
prove m is M2 shard(0) over dp
prove v is V2 shard(0) over dp
