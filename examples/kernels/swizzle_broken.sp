# Broken: it is read as if it were not swizzled.
# A matrix transposed through shared memory with an XOR swizzle: element (y, x) of a tile lies in column y xor x, so that
# those of a row are in different banks, and those of a column.
mesh by[4], bx[4]
let N = 32, T = 8

input A[N, N]

func xor(a, b) = (a + b) mod 2 + 2*((a div 2 + b div 2) mod 2) + 4*((a div 4 + b div 4) mod 2)  # of numbers below 8

sequential {
  X[i < N, j < N] = A[j, i]
}

parallel on by, bx {
  tile[y < T, c < T] = A[@by*T + y, @bx*T + xor(y, c)]
  out[y < T, x < T] = tile[x, y]
}

prove out[y, x] is X[@bx*T + y, @by*T + x]

expect violation at out
