# A block whose iterators are listed in another order than its loops.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((7, 10), "int32"), C: T.Buffer((70,), "int32")):
    B = T.sblock_alloc_buffer((7, 10), "int32")
    for i, j in T.grid(7, 10):
        with T.sblock("B"):
            vj, vi = T.axis.remap("SS", [j, i])
            B[vi, vj] = T.if_then_else(2 <= vi and vi < 6, A[vi - 2, vj], 0)
    for x in range(70):
        with T.sblock("C"):
            v = T.axis.spatial(70, x)
            C[v] = B[v // 10, v % 10]
