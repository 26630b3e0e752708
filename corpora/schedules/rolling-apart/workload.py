# The stages stand in nests of their own.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((10, 4), "float32"), C: T.Buffer((8, 4), "float32")):
    B = T.sblock_alloc_buffer((10, 4), "float32")
    for i, j in T.grid(10, 4):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * T.float32(2)
    for i, j, k in T.grid(8, 4, 3):
        with T.sblock("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + B[vi + vk, vj]
