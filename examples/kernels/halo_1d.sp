# A three-point stencil: each rank has a strip, and gets the edges of its neighbours' strips.
mesh g[8]
let N = 64, B = N/8

input X[N]

sequential {
  Y[i < N] = (if i > 0 then X[i - 1] else 0) - 2*X[i] + (if i < N - 1 then X[i + 1] else 0)
}

parallel on g {
  x = X shard(0) over g
  first = x[0]
  last = x[B - 1]
  left = if @g > 0 then last@(g = @g - 1) else 0
  right = if @g < 7 then first@(g = @g + 1) else 0
  y[i < B] = (if i > 0 then x[i - 1] else left) - 2*x[i] + (if i < B - 1 then x[i + 1] else right)
}

prove y is Y shard(0) over g
