# Two blocks below a pair of loops, each in a loop of its own.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 4, 8), "float32"), C: T.Buffer((4, 4, 8), "float32")):
    B = T.sblock_alloc_buffer((4, 4, 8), "float32")
    for i, j in T.grid(4, 4):
        for k in range(8):
            with T.sblock("B"):
                vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2)
        for k in range(8):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                C[vi, vj, vk] = B[vi, vj, vk] + T.float32(1)
