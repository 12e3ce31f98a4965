# Broken: the mask takes the rows as if they lay one after another.
# Causal ring attention, zig-zag: rank g has chunk g from the front and chunk g from the back, so that all ranks have the same work.
mesh g[4]
let R = 4, S = 64, D = 16, B = S/(2*R)

input Q[S, D], K[S, D], V[S, D]

sequential {
  X[i < S, j < S] = if j <= i then (sum(d < D) Q[i, d] * K[j, d]) / 4 else -inf
  P[i < S, j < S] = exp(X[i, j] - (max(t < S) X[i, t]))
  O[i < S, d < D] = (sum(j < S) P[i, j] * V[j, d]) / (sum(j < S) P[i, j])
}

parallel on g {
      at[h < 2, i < B]: int = (2*@g + h)*B + i  # where row (h, i) lies in the sequence
  q[h < 2, i < B, d < D] = Q[(if h == 0 then @g else 2*R - 1 - @g)*B + i, d]
  k[h < 2, i < B, d < D] = K[(if h == 0 then @g else 2*R - 1 - @g)*B + i, d]
  v[h < 2, i < B, d < D] = V[(if h == 0 then @g else 2*R - 1 - @g)*B + i, d]
  m[h < 2, i < B] = -inf
  l[h < 2, i < B] = 0
  o[h < 2, i < B, d < D] = 0
  repeat s < R {
    from = at@(g = (@g - s) mod R)
    x[h < 2, i < B, c < 2, j < B] = if from[c, j] <= at[h, i] then (sum(d < D) q[h, i, d] * k[c, j, d]) / 4 else -inf
    n[h < 2, i < B] = max(m[h, i], max(c < 2, j < B) x[h, i, c, j])
    l[h < 2, i < B] = l[h, i] * exp(m[h, i] - n[h, i]) + (sum(c < 2, j < B) exp(x[h, i, c, j] - n[h, i]))
    o[h < 2, i < B, d < D] = o[h, i, d] * exp(m[h, i] - n[h, i]) + (sum(c < 2, j < B) exp(x[h, i, c, j] - n[h, i]) * v[c, j, d])
    m = n
    k = k@(g = (@g - 1) mod R)
    v = v@(g = (@g - 1) mod R)
  }
  out[h < 2, i < B, d < D] = o[h, i, d] / l[h, i]
}

prove out[h, i, d] is O[(if h == 0 then @g else 2*R - 1 - @g)*B + i, d]

expect violation at out
