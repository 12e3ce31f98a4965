# Weights of what is positive are positive.
mesh g[2]
input S[8, 8], V[8]

sequential {
  T[i < 8] = V[i]
}

parallel on g {
  r[i < 8] = sum(k < 8) exp(min(0, log(abs(S[i, k]) + 1)))
  t[i < 8] = V[i] * r[i] / r[i]
}

prove t is T replicated
