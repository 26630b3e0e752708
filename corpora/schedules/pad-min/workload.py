# The least element of each row.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((5, 6), "int32"), B: T.Buffer((5,), "int32")):
    S = T.sblock_alloc_buffer((5, 6), "int32")
    for i, j in T.grid(5, 6):
        with T.sblock("S"):
            vi, vj = T.axis.remap("SS", [i, j])
            S[vi, vj] = A[vi, vj] + 10
    for i, k in T.grid(5, 6):
        with T.sblock("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.max_value("int32")
            B[vi] = T.min(B[vi], S[vi, vk])
