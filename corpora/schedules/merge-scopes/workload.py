# One of the nests stands in a block.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 8), "float32"), B: T.Buffer((6, 8), "float32"), C: T.Buffer((6, 8), "float32")):
    for i in range(6):
        with T.sblock("outer"):
            vi = T.axis.spatial(6, i)
            T.reads(A[vi, 0:8])
            T.writes(B[vi, 0:8])
            for j in range(8):
                with T.sblock("B"):
                    vj = T.axis.spatial(8, j)
                    B[vi, vj] = A[vi, vj] * T.float32(2)
    for i in range(6):
        for j in range(8):
            with T.sblock("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] + T.float32(1)
