# The greatest element of each column.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((3, 8), "int32"), B: T.Buffer((8,), "int32")):
    S = T.sblock_alloc_buffer((3, 8), "int32")
    for i, j in T.grid(3, 8):
        with T.sblock("S"):
            vi, vj = T.axis.remap("SS", [i, j])
            S[vi, vj] = A[vi, vj] * 2 - 12
    for j, k in T.grid(8, 3):
        with T.sblock("B"):
            vj, vk = T.axis.remap("SR", [j, k])
            with T.init():
                B[vj] = T.min_value("int32")
            B[vj] = T.max(B[vj], S[vk, vj])
