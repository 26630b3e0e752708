# A stencil whose offsets are computed.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((13,), "int32"), C: T.Buffer((11,), "int32")):
    B = T.sblock_alloc_buffer((13,), "int32")
    for i in range(13):
        with T.sblock("B"):
            vi = T.axis.spatial(13, i)
            B[vi] = A[vi] * 2
    for i in range(11):
        with T.sblock("C"):
            vi = T.axis.spatial(11, i)
            C[vi] = B[vi] + B[vi + 1] - B[vi + 2]
