# A block that holds a nest.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    for i in range(8):
        with T.sblock("outer"):
            vi = T.axis.spatial(8, i)
            T.reads(A[vi, 0:8])
            T.writes(C[vi, 0:8])
            for j in range(8):
                with T.sblock("C"):
                    vj = T.axis.spatial(8, j)
                    C[vi, vj] = A[vi, vj] + T.float32(1)
