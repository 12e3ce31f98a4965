# Mixture of experts: each rank has a group of tokens and some experts. Tokens go to their expert's rank by an all-to-all, and back.
# An expert takes C tokens of each group; of more, the later ones get nothing.
mesh g[4]
let R = 4, S = 16, D = 8, F = 12, E = 8, C = 4

input X[R, S, D], Gate[R, S], Ids[R, S]: int, W1[E, D, F], W2[E, F, D]
assume 0 <= Ids < E

sequential {
  At[g < R, s < S]: int = sum(t < S) if t < s and Ids[g, t] == Ids[g, s] then 1 else 0  # how many before it have its expert
  In[g < R, e < E, c < C, d < D] = sum(s < S) if Ids[g, s] == e and At[g, s] == c then X[g, s, d] else 0
  H[g < R, e < E, c < C, f < F] = max(0, sum(d < D) In[g, e, c, d] * W1[e, d, f])
  Out[g < R, e < E, c < C, d < D] = sum(f < F) H[g, e, c, f] * W2[e, f, d]
  Y[g < R, s < S, d < D] = Gate[g, s] * (sum(e < E, c < C) if Ids[g, s] == e and At[g, s] == c then Out[g, e, c, d] else 0)
}

parallel on g {
  x[s < S, d < D] = X[@g, s, d]
  ids[s < S] = Ids[@g, s]
  w1 = W1 shard(0) over g
  w2 = W2 shard(0) over g
      at[s < S]: int = sum(t < S) if t < s and ids[t] == ids[s] then 1 else 0
      in [e < E, c < C, d < D] = sum(s < S) if ids[s] == e and at[s] == c then x[s, d] else 0
  mine = all_to_all(in, 0, 1) over g  # [E/R, R*C, D]: all groups' tokens for our experts
  h[e < E/R, c < R*C, f < F] = max(0, sum(d < D) mine[e, c, d] * w1[e, d, f])
  done[e < E/R, c < R*C, d < D] = sum(f < F) h[e, c, f] * w2[e, f, d]
  out = all_to_all(done, 1, 0) over g
  y[s < S, d < D] = Gate[@g, s] * (sum(e < E, c < C) if ids[s] == e and at[s] == c then out[e, c, d] else 0)
}

prove y[s, d] is Y[@g, s, d]
