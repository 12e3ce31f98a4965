# Broken (the chunk that is added lags behind): ring all-reduce: a reduce-scatter of @g's chunks around the ring, then an all-gather.
mesh g[4]
let R = 4, N = 64, B = N/R

input X[R, N]

sequential {
  Y[i < N] = sum(r < R) X[r, i]
}

parallel on g {
  x[i < N] = X[@g, i]
  # acc is the chunk on its way: after s steps it holds s + 1 ranks' parts of chunk (@g - s) mod R
  acc[i < B] = x[@g*B + i]
  repeat s < R - 1 {
    acc = acc@(g = (@g - 1) mod R)
    acc[i < B] = acc[i] + x[(@g - s) mod R * B + i]
  }
  # now it is the sum of chunk (@g + 1) mod R: pass it on
  y[i < N] = if i div B == (@g + 1) mod R then acc[i mod B] else 0
  repeat s < R - 1 {
    acc = acc@(g = (@g - 1) mod R)
    y[i < N] = if i div B == (@g - s) mod R then acc[i mod B] else y[i]
  }
}

prove y is Y replicated over g

expect violation at y
