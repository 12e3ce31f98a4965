# Striped ring attention: rows are dealt out so that every rank has as much to do. The program is right; say which rows a rank has.
mesh g[4]
let S = 32, D = 8, B = S/4

input Q[S, D], K[S, D], V[S, D]

sequential {
  X[i < S, j < S] = if j <= i then (sum(d < D) Q[i, d] * K[j, d]) / 4 else -inf
  P[i < S, j < S] = exp(X[i, j] - (max(t < S) X[i, t]))
  O[i < S, d < D] = (sum(j < S) P[i, j] * V[j, d]) / (sum(j < S) P[i, j])
}

parallel on g {
  q[i < B, d < D] = Q[
  #: answer
      i + B*@g, d
  #: end
      ]
  k[i < B, d < D] = K[
  #: answer
      i + B*@g, d
  #: end
      ]
  v[i < B, d < D] = V[
  #: answer
      i + B*@g, d
  #: end
      ]
  m[i < B] = -inf
  l[i < B] = 0
  o[i < B, d < D] = 0
  repeat s < 4 {
    let owner = (@g - s) mod 4
    x[i < B, j < B] = if j < i or (j == i and owner <= @g) then (sum(d < D) q[i, d] * k[j, d]) / 4 else -inf
    n[i < B] = max(m[i], max(j < B) x[i, j])
    l[i < B] = l[i] * exp(m[i] - n[i]) + (sum(j < B) exp(x[i, j] - n[i]))
    o[i < B, d < D] = o[i, d] * exp(m[i] - n[i]) + (sum(j < B) exp(x[i, j] - n[i]) * v[j, d])
    m = n
    k = k@(g = (@g - 1) mod 4)
    v = v@(g = (@g - 1) mod 4)
  }
  out[i < B, d < D] = o[i, d] / l[i]
}

prove out[i, d] is O[
#: answer
    i + B*@g, d
#: end
    ]
