# Broken (results are one step early): A pipeline of two stages with two micro-batches: stage 1 works on what stage 0 computed one step before.
mesh stage[2]
let N = 8, D = 16, B = N/2

input X[N, D], W[2, D, D]

sequential {
  H[i < N, j < D] = max(0, sum(k < D) X[i, k] * W[0, k, j])
  Y[i < N, j < D] = max(0, sum(k < D) H[i, k] * W[1, k, j])
}

parallel on stage {
  w[k < D, j < D] = W[@stage, k, j]
  h[i < B, j < D] = 0
  y[m < 2, i < B, j < D] = 0
  repeat s < 3 {
    # stage 0 takes micro-batch s, while there is one; stage 1 what stage 0 had before
    got = h@(stage = 0)
    x[i < B, j < D] = if @stage == 0 then (if s < 2 then X[B * min(s, 1) + i, j] else 0) else got[i, j]
    h[i < B, j < D] = max(0, sum(k < D) x[i, k] * w[k, j])
    y[m < 2, i < B, j < D] = if m == s then h[i, j] else y[m, i, j]
  }
  out = y@(stage = 1)
}

prove out[m, i, j] is Y[B*m + i, j]

expect violation at out
