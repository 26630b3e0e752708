# A block with an iterator whose order is fixed.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 4, 8), "float32"), B: T.Buffer((4, 4, 8), "float32")):
    for i, j, k in T.grid(4, 4, 8):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            vk = T.axis.scan(8, k)
            B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2)
