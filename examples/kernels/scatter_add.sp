# The gradient of an embedding table: rows of G are added where their token says. The table is cut over tp,
# the tokens over dp; a one-hot product stands for the scatter.
mesh dp[4], tp[2]
let T = 32, V = 16, D = 8, C = V/2, B = T/4

input Ids[T]: int, G[T, D]
assume 0 <= Ids < V

sequential {
  W[v < V, d < D] = sum(t < T) if Ids[t] == v then G[t, d] else 0
}

parallel on dp, tp {
  ids = Ids shard(0) over dp
  g = G shard(0) over dp
  hot[t < B, v < C] = if ids[t] - @tp*C == v then 1 else 0
  p[v < C, d < D] = sum(t < B) hot[t, v] * g[t, d]
  w = all_reduce(sum, p) over dp
}

prove w is W shard(0) over tp
