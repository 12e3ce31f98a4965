mesh g[4]
let N = 16
input A[N]
func f(x)
func h(x) = f(x) * 2 + 1
sequential { C[i < N] = h(A[i]); M = argmax(i < N) C[i]; S = sum(i < N) C[i] }
parallel on g {
  a = A shard(0, 2) over g
  c[i < 4] = h(a[i])
  s = sum(i < 4) c[i]
  big = all_gather(c, 0)
  z[i < N] = big[(i div 2 mod 4) * 4 + i div 8 * 2 + i mod 2]
  t = sum(q < 4) s@(g = q)
  u = argmax(i < N) z[i]
}
prove c is C shard(0, 2) over g
prove z is C replicated
prove t is S replicated
prove u is M replicated
prove s is S partial(sum) over g
