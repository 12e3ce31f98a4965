# Broken: the filter has its channels last.
# A 3 x 3 convolution as a matrix product: each rank writes the patches of its images as the columns of a matrix.
mesh g[4]
let N = 8, C = 4, O = 8, H = 8, W = 8

input X[N, C, H, W], F[O, C, 3, 3]

sequential {
  Y[n < N, o < O, h < H, w < W] = sum(c < C, p < 3, q < 3)
  (if 0 <= h + p - 1 < H and 0 <= w + q - 1 < W then X[n, c, h + p - 1, w + q - 1] else 0) * F[o, c, p, q]
}

parallel on g {
  x = X shard(0) over g
  f[o < O, r < 9*C] = F[o, r mod C, r div (3*C), r div C mod 3]
  col[n < N/4, r < 9*C, i < H*W] =
      if 0 <= i div W + r mod 9 div 3 - 1 < H and 0 <= i mod W + r mod 3 - 1 < W
      then x[n, r div 9, i div W + r mod 9 div 3 - 1, i mod W + r mod 3 - 1] else 0
  m[n < N/4, o < O, i < H*W] = sum(r < 9*C) f[o, r] * col[n, r, i]
  y[n < N/4, o < O, h < H, w < W] = m[n, o, h*W + w]
}

prove y is Y shard(0) over g

expect violation at y
