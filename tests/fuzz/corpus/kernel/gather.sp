mesh g[4]
let N = 8, V = 32
input E[V], Ids[N]: int
assume 0 <= Ids < V
sequential { C[i < N] = E[Ids[i]] }
parallel on g {
 e = E shard(0)
 ids = Ids replicated
 p[i < N] = if 0 <= Ids[i] - 8*@g < 8 then e[Ids[i] - 8*@g] else 0
 c = all_reduce(sum, p)
}
prove c is C replicated
