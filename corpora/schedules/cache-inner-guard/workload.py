# The guard stands at an inner block.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((10, 20), "float32"), C: T.Buffer((10, 20), "float32")):
    for i, j in T.grid(12, 24):
        with T.sblock("outer"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.where(i < 10 and j < 20)
            T.reads(A[vi, vj])
            T.writes(C[vi, vj])
            with T.sblock("C"):
                C[vi, vj] = A[vi, vj] * T.float32(2)
