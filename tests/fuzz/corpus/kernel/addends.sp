mesh g[4]
let N = 8
input A[N], B[N]
sequential { C[i < N] = A[i] * B[i] }
parallel on g {
  a = A partial(sum) over g
  p[i < N] = a[i] * B[i]
  c = all_reduce(sum, p)
}
prove c is C replicated
