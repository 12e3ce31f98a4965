# Causal flash attention that begins with the last block: the first steps see nothing
# but masked keys for the first rows, so that l becomes NaN. Not run here: the
# proof itself must not be given, neither for the loop nor unrolled.
mesh g[2]
let N = 40, B = 2, S = N/B
input Q[N, N], V[N]
sequential {
  T[i < N, j < N] = if j <= i then Q[i, j] else -inf
  M[i < N] = max(k < N) T[i, k]
  C[i < N] = (sum(k < N) exp(T[i, k] - M[i]) * V[k]) / (sum(k < N) exp(T[i, k] - M[i]))
}
parallel on g {
  m[i < N] = -inf
  l[i < N] = 0
  o[i < N] = 0
  repeat s < S {
    x[i < N, j < B] = if B*(S - 1 - s) + j <= i then Q[i, B*(S - 1 - s) + j] else -inf
    n[i < N] = max(m[i], max(j < B) x[i, j])
    l[i < N] = l[i] * exp(m[i] - n[i]) + sum(j < B) exp(x[i, j] - n[i])
    o[i < N] = o[i] * exp(m[i] - n[i]) + sum(j < B) exp(x[i, j] - n[i]) * V[B*(S - 1 - s) + j]
    m = n
  }
  c[i < N] = o[i] / l[i]
}
prove c is C replicated over g
