# Two blocks below a loop.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.sblock("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] * T.float32(2)
        with T.sblock("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = A[vi] + T.float32(2)
