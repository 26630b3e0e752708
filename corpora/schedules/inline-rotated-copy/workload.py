# Rows are copied, then read three further on, around the end.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 4), "float32"), C: T.Buffer((6, 4), "float32")):
    B = T.sblock_alloc_buffer((6, 4), "float32")
    for i in range(6):
        with T.sblock("B"):
            vi = T.axis.spatial(6, i)
            T.reads(A[vi, 0:4])
            T.writes(B[vi, 0:4])
            for p, j in T.grid(1, 4):
                B[vi + p, j] = A[vi + p, j]
    for i, j in T.grid(6, 4):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[(vi + 3) % 6, vj]
