# A gather: one buffer holds the indices into the other.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 4), "float32"), B: T.Buffer((8,), "int32"), C: T.Buffer((8, 4), "float32")):
    for i, j in T.grid(8, 4):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[B[vi] % 16, vj]
