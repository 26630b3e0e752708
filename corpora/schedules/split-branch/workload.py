# Two blocks below a loop, each in one of its own.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 8), "float32"), C: T.Buffer((6, 8), "float32")):
    B = T.sblock_alloc_buffer((6, 8), "float32")
    for j in range(6):
        for k in range(8):
            with T.sblock("B"):
                vj, vk = T.axis.remap("SS", [j, k])
                B[vj, vk] = A[vj, vk] * T.float32(2)
        for k in range(8):
            with T.sblock("C"):
                vj, vk = T.axis.remap("SS", [j, k])
                C[vj, vk] = B[vj, vk] + T.float32(1)
