# A sum over all ranks, where a rank may only ask its neighbour on the left.
mesh g[4]
let N = 8

input X[4, N]

sequential {
  S[i < N] = sum(r < 4) X[r, i]
}

parallel on g {
  x[i < N] = X[@g, i]
  s[i < N] = x[i]
  v = x  # what goes around
  repeat t < 3 {
    #: answer
    #: without x, all_reduce, reduce_scatter, all_gather, all_to_all, broadcast, sum
    v = v@(g = (@g - 1) mod 4)
    s[i < N] = s[i] + v[i]
    #: end
  }
}

prove s is S replicated over g
