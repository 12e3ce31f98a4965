# Scores are measured from the last one, which may be masked: then 0 / 0, which
# no proof may leave out. Not run here: the proof itself must not be given.
mesh g[2]
let N = 8
input S[N], Q[N]: int
sequential {
  T[i < N] = if Q[i] < 0 then -inf else S[i]*S[i]
  M = max(k < N) T[k]
  L = sum(k < N) exp(T[k] - M)
  C[i < N] = exp(T[i] - M) / L
}
parallel on g {
  t[i < N] = if Q[i] < 0 then -inf else S[i]*S[i]
  m = t[N-1]
  l = sum(k < N) exp(t[k] - m)
  c[i < N] = exp(t[i] - m) / l
}
prove c is C replicated over g
