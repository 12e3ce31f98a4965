# A maximum over parts with a remainder, filled with 0: wrong where all is negative.
mesh g[4]
input A[16], B[16], Q[16]: int
assume -8 <= Q < 8
sequential {
  C = max(k<16) A[k]
}
parallel on g {
  p = max(k<5) (if k + 5*@g < 16 then A[k + 5*@g] else 0)
  c = all_reduce(max, p) over g
}
prove c is C replicated over g
