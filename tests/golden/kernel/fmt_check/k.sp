mesh  g[2]
input A[ 4 ]
sequential {
C[i<4]=A[i] }
parallel {c = A shard(0)}
prove c is C shard( 0 )
