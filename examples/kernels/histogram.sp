# A histogram by one-hot rows: a block counts its part of the values, all blocks' counts are added.
mesh block[8]
let N = 64, H = 16, B = N/8

input V[N]: int
assume 0 <= V < H

sequential {
  Count[b < H] = sum(i < N) if V[i] == b then 1 else 0
}

parallel on block {
  v = V shard(0) over block
  hot[i < B, b < H]: int = if v[i] == b then 1 else 0
  mine[b < H]: int = sum(i < B) hot[i, b]
  count = all_reduce(sum, mine) over block
}

prove count is Count replicated over block
