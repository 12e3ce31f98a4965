# Blelloch's scan: sums go up a tree, then what lies before a node comes down: its left child gets the same, its right one
# that and the sum of the left.
mesh t[8]
let N = 64, B = N/8

input X[N]

sequential {
  P[i < N] = sum(k < N) if k < i then X[k] else 0
}

parallel on t {
  x = X shard(0) over t
  s = sum(k < B) x[k]
  repeat r < 3 {
    let h = 2^r
    s = if (@t + 1) mod (2*h) == 0 then s + s@(t = @t - h) else s
  }
  s = if @t == 7 then 0 else s
  repeat r < 3 {
    let h = 4 div 2^r
    s = if (@t + 1) mod (2*h) == 0 then s + s@(t = @t - h) else if (@t + 1) mod (2*h) == h then s@(t = @t + h) else s
  }
  p[i < B] = s + (sum(k < B) if k < i then x[k] else 0)
}

prove p is P shard(0) over t
