mesh g[4]
let N = 8
input A[N], Ids[N]: int
sequential { C[i < N] = A[i + 1] }
parallel on g { c = A replicated }
prove c is C replicated
