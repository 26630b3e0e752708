# A buffer that is read in two nests, in the first by one of two blocks.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(D: T.Buffer((8, 4), "float32"), B: T.Buffer((8, 4), "float32"), C: T.Buffer((8, 4), "float32")):
    A = T.sblock_alloc_buffer((8, 4), "float32")
    for i, j in T.grid(8, 4):
        with T.sblock("A"):
            vi, vj = T.axis.remap("SS", [i, j])
            A[vi, vj] = D[vi, vj] + T.float32(1)
    for i in range(8):
        for j in range(4):
            with T.sblock("B0"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = T.float32(1)
        for j in range(4):
            with T.sblock("B1"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] + T.float32(2)
    for i, j in T.grid(8, 4):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = A[vi, vj] - T.float32(3)
