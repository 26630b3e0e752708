# The product is copied.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 4), "float32"), W: T.Buffer((4, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    S = T.sblock_alloc_buffer((8, 8), "float32")
    for i, j, k in T.grid(8, 8, 4):
        with T.sblock("S"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                S[vi, vj] = T.float32(0)
            S[vi, vj] = S[vi, vj] + A[vi, vk] * W[vk, vj]
    for i, j in T.grid(8, 8):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = S[vi, vj]
