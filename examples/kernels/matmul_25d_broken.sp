# Broken (the layers' steps overlap): 2.5-D matrix multiplication: A and B lie in blocks on layer 0's mesh and are copied to 2 layers; each layer
# does half of Cannon's steps, and the layers are added.
mesh l[2], r[4], c[4]
let M = 32, N = 48, K = 64

input A[M, K], B[K, N]

sequential {
  C[i < M, j < N] = sum(k < K) A[i, k] * B[k, j]
}

parallel on l, r, c {
  a = A shard(0) over r, shard(1) over c
  b = B shard(0) over r, shard(1) over c
  acc[i < M/4, j < N/4] = 0
  repeat s < 2 {
    let k0 = (@r + @c + @l + s) mod 4  # the block of K that meets here now
    as = a@(c = k0)
    bs = b@(r = k0)
    acc[i < M/4, j < N/4] = acc[i, j] + sum(k < K/4) as[i, k] * bs[k, j]
  }
  c2 = all_reduce(sum, acc) over l
}

prove c2 is C shard(0) over r, shard(1) over c

expect violation at c2
