# A mask by data, blocks by rank: right where no row of a block is masked as a
# whole, which is assumed.
mesh g[2]
let N = 8
input S[N, N], V[N], Q[N]: int
sequential {
  T[i < N, j < N] = if Q[j] < 0 then -inf else 3*S[i, j]
  M[i < N] = max(k < N) T[i, k]
  C[i < N] = (sum(k < N) exp(T[i, k] - M[i]) * V[k]) / (sum(k < N) exp(T[i, k] - M[i]))
}
parallel on g {
  t[i < N, j < N/2] = if Q[j + N/2*@g] < 0 then -inf else 3*S[i, j + N/2*@g]
  m[i < N] = max(k < N/2) t[i, k]
  l[i < N] = sum(k < N/2) exp(t[i, k] - m[i])
  o[i < N] = sum(k < N/2) exp(t[i, k] - m[i]) * V[k + N/2*@g]
  mm = all_reduce(max, m) over g
  ls[i < N] = exp(m[i] - mm[i]) * l[i]
  os[i < N] = exp(m[i] - mm[i]) * o[i]
  lt = all_reduce(sum, ls) over g
  ot = all_reduce(sum, os) over g
  c[i < N] = ot[i] / lt[i]
}
prove c is C replicated over g
