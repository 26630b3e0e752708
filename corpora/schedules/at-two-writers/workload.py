# Two blocks, each of which makes half of what the third reads.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.sblock_alloc_buffer((8,), "float32")
    for i in range(4):
        with T.sblock("B0"):
            vi = T.axis.spatial(4, i)
            B[vi] = A[vi] * T.float32(2)
    for i in range(4):
        with T.sblock("B1"):
            vi = T.axis.spatial(4, i)
            B[vi + 4] = A[vi + 4] * T.float32(3)
    for i in range(8):
        with T.sblock("C"):
            vi = T.axis.spatial(8, i)
            C[vi] = B[vi] + T.float32(1)
