# Broken (the partner is always the neighbour): All-reduce by recursive doubling: in step s a rank adds what its partner 2^s away has.
mesh g[8]
let N = 64

input X[8, N]

sequential {
  S[i < N] = sum(r < 8) X[r, i]
}

parallel on g {
  x[i < N] = X[@g, i]
  repeat s < 3 {
    let d = 1, low = @g div d mod 2 == 0
    x[i < N] = x[i] + x@(g = if low then @g + d else @g - d)[i]
  }
}

prove x is S replicated over g

expect violation at x
