# A matrix transposed through shared memory, tile by tile. Rows of a tile are padded by one cell: then the cells of a
# column are in different banks, too.
mesh by[4], bx[4]
let N = 32, T = 8, P = T + 1

input A[N, N]

sequential {
  X[i < N, j < N] = A[j, i]
}

parallel on by, bx {
  # cell c is column c mod P of row c div P; the last one is never written
  tile[c < T*P] = A[@by*T + c div P, @bx*T + c mod P] where c mod P < T
  out[y < T, x < T] = tile[x*P + y]
}

prove out[y, x] is X[@bx*T + y, @by*T + x]
