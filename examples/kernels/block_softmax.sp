# Softmax of a row by a block of 8 threads: thread t has the columns t, t + 8, ...; maximum and sum go round by shuffles, in
# round r between threads whose numbers differ in bit r.
mesh row[8], t[8]
let N = 64, T = 8

input X[8, N]

sequential {
  M[i < 8] = max(k < N) X[i, k]
  L[i < 8] = sum(k < N) exp(X[i, k] - M[i])
  S[i < 8, j < N] = exp(X[i, j] - M[i]) / L[i]
}

parallel on row, t {
  x[j < N/T] = X[@row, j*T + @t]
  m = max(j < N/T) x[j]
  repeat r < 3 {
    m = max(m, m@(t = if @t div 2^r mod 2 == 0 then @t + 2^r else @t - 2^r))
  }
  l = sum(j < N/T) exp(x[j] - m)
  repeat r < 3 {
    l = l + l@(t = if @t div 2^r mod 2 == 0 then @t + 2^r else @t - 2^r)
  }
  s[j < N/T] = exp(x[j] - m) / l
}

prove s[j] is S[@row, j*T + @t]
