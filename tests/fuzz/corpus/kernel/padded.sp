mesh g[4]
let N = 10
input A[N]
sequential { C[i < N] = A[i] * 2 }
parallel on g {
  a[i < 3] = A[i + 3*@g] where i + 3*@g < N
  c[i < 3] = a[i] * 2
}
prove c[i] is C[i + 3*@g] where i + 3*@g < N
