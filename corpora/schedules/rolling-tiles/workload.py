# Tiles of three rows that do not overlap.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((24, 4), "float32"), C: T.Buffer((8, 4), "float32")):
    B = T.sblock_alloc_buffer((24, 4), "float32")
    for o in range(8):
        for w, j in T.grid(3, 4):
            with T.sblock("B"):
                vi = T.axis.spatial(24, o * 3 + w)
                vj = T.axis.spatial(4, j)
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for j, k in T.grid(4, 3):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [o, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + B[vi * 3 + vk, vj]
