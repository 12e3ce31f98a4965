# Where a whole row is closed its gates are 1 / (1 + inf) = 0: 0 is divided by 0.
mesh g[2]
input S[8, 8], V[8]

sequential {
  T[i < 8] = V[i]
}

parallel on g {
  q[i < 8] = sum(k < 8) 1 / (1 + exp(if S[k, i] < 50 then S[i, k] else inf))
  t[i < 8] = V[i] * q[i] / q[i]
}

prove t is T replicated
