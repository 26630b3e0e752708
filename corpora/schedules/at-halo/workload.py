# A stencil: each row reads the row of the stage before and its neighbours.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((10, 4), "float32"), C: T.Buffer((8, 4), "float32")):
    B = T.sblock_alloc_buffer((10, 4), "float32")
    for i, j in T.grid(10, 4):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j in T.grid(8, 4):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + B[vi + 1, vj] + B[vi + 2, vj]
