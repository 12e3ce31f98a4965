# Broken: the second of each round adds nothing.
# Hillis and Steele's scan: in round r every thread adds what the thread 2^r before it has.
mesh t[16]
let N = 64, B = N/16

input X[N]

sequential {
  P[i < N] = sum(k < N) if k <= i then X[k] else 0
}

parallel on t {
  x = X shard(0) over t
  s = sum(k < B) x[k]
  repeat r < 4 {
    s = if @t > 2^r then s + s@(t = @t - 2^r) else s
  }
  before = if @t > 0 then s@(t = @t - 1) else 0
  p[i < B] = before + (sum(k < B) if k <= i then x[k] else 0)
}

prove p is P shard(0) over t

expect violation at p
