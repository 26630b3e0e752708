# A product of matrices of odd sizes.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((7, 5), "float32"), W: T.Buffer((5, 6), "float32"), D: T.Buffer((7, 6), "float32")):
    P = T.sblock_alloc_buffer((7, 5), "float32")
    Q = T.sblock_alloc_buffer((5, 6), "float32")
    C = T.sblock_alloc_buffer((7, 6), "float32")
    for i, k in T.grid(7, 5):
        with T.sblock("P"):
            vi, vk = T.axis.remap("SS", [i, k])
            P[vi, vk] = A[vi, vk]
    for k, j in T.grid(5, 6):
        with T.sblock("Q"):
            vk, vj = T.axis.remap("SS", [k, j])
            Q[vk, vj] = W[vk, vj]
    for i, j, k in T.grid(7, 6, 5):
        with T.sblock("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + P[vi, vk] * Q[vk, vj]
    for i, j in T.grid(7, 6):
        with T.sblock("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi, vj] = C[vi, vj]
