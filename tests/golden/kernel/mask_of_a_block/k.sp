# Causal: a row of the second block is masked as a whole, so that its maximum is
# minus infinity. Not run here: the proof itself must not be given.
mesh g[2]
let N = 8
input S[N, N], V[N]
sequential {
  T[i < N, j < N] = if j <= i then S[i, j] else -inf
  M[i < N] = max(k < N) T[i, k]
  L[i < N] = sum(k < N) exp(T[i, k] - M[i])
  C[i < N] = (sum(k < N) exp(T[i, k] - M[i]) * V[k]) / L[i]
}
parallel on g {
  t[i < N, j < N/2] = if j + 4*@g <= i then S[i, j + 4*@g] else -inf
  m[i < N] = max(k < N/2) t[i, k]
  l[i < N] = sum(k < N/2) exp(t[i, k] - m[i])
  o[i < N] = sum(k < N/2) exp(t[i, k] - m[i]) * V[k + 4*@g]
  mm = all_reduce(max, m) over g
  ls[i < N] = exp(m[i] - mm[i]) * l[i]
  os[i < N] = exp(m[i] - mm[i]) * o[i]
  lt = all_reduce(sum, ls) over g
  ot = all_reduce(sum, os) over g
  c[i < N] = ot[i] / lt[i]
}
prove c is C replicated over g
