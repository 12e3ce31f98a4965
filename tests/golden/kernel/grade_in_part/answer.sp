# Two layers of a transformer's MLP. Cut the weights so that one all-reduce at the end is enough.
mesh g[4]
let T = 8, E = 16, H = 32

input X[T, E], W1[E, H], B1[H], W2[H, E], B2[E]

sequential {
  A[t < T, h < H] = gelu((sum(e < E) X[t, e] * W1[e, h]) + B1[h])
  Y[t < T, e < E] = (sum(h < H) A[t, h] * W2[h, e]) + B2[e]
}

parallel on g {
  x = X replicated
  w1 = W1
  #: answer
  shard(1) over g
  #: end
  b1 = B1
  #: answer
  shard(0) over g
  #: end
  w2 = W2
  #: answer
  shard(0) over g
  #: end
  a[t < T, h < H/4] = gelu((sum(e < E) x[t, e] * w1[e, h]) + b1[h])
  part[t < T, e < E] = sum(h < H/4) a[t, h] * w2[h, e]
  sum_of_parts = all_reduce(sum, part) over g
  y[t < T, e < E] =
  #: answer
  #: reads B2
      sum_of_parts[t, e]
  #: end
}

prove a is A shard(1) over g
prove y is Y replicated over g
