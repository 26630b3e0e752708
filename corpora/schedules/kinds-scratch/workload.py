# A cell of scratch that every iteration fills.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.sblock_alloc_buffer((1,), "float32")
    for i in range(8):
        with T.sblock("B"):
            vi = T.axis.spatial(8, i)
            B[0] = A[vi] * T.float32(2)
        with T.sblock("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = B[0] + T.float32(1)
