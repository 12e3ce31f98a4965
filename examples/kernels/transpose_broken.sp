# Broken: a matrix transposed through shared memory: blocks of 8 x 8 threads, each with one element.
mesh by[4], bx[4], ty[8], tx[8]
let N = 32

input A[N, N]

sequential {
  T[i < N, j < N] = A[j, i]
}

parallel on by, bx, ty, tx {
  mine = A[@by*8 + @ty, @bx*8 + @tx]  # what this thread loads
  # cell (y, x) of the shared block was written by thread (y, x): read the transposed cell
  out = mine  # fault: the block is transposed, its inside is not
}

prove out is T[@bx*8 + @ty, @by*8 + @tx]

expect violation at out
