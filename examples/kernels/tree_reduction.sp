# A block's sum in shared memory: in each round the lower half of the threads adds the upper half.
mesh block[4], t[64]
let N = 256

input X[N]

sequential {
  S[b < 4] = sum(k < 64) X[64*b + k]
}

parallel on block, t {
  s = X[64*@block + @t]
  repeat r < 6 {
    let half = 32 div 2^r
    s = if @t < half then s + s@(t = if @t < half then @t + half else @t) else s
  }
  out = s@(t = 0)
}

prove out is S[@block]
