# A block that stores to rows with gaps, in a buffer that is flat.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((7, 4), "float32"), C: T.Buffer((7, 4), "float32")):
    B = T.sblock_alloc_buffer((100,), "float32")
    for i, j in T.grid(7, 4):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi * 16 + vj] = A[vi, vj] + T.float32(1)
    for i, j in T.grid(7, 4):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi * 16 + vj] * T.float32(2)
