mesh g[4]
let T = 3, H = 2, D = 4
input X[T, H, D]
input W[H, D]
sequential {
  m[t < T] = sum(h < H, d < D) X[t, h, d] * X[t, h, d]
  Y[t < T, h < H, d < D] = X[t, h, d] * W[h, d] * rsqrt(m[t] / (H*D))
}
parallel on g {
  x[t < T, d < D] = X[t, @g div 2, d]
  w[d < D] = W[@g div 2, d]
  p[t < T] = sum(d < D) x[t, d] * x[t, d]
  s = all_reduce(sum, p) over g
  y[t < T, d < D] = x[t, d] * w[d] * rsqrt(s[t] / (2*H*D))
}
prove y[t, d] is Y[t, @g div 2, d]
