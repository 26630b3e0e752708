# A block in a block.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 4, 8), "float32"), B: T.Buffer((4, 4, 8), "float32")):
    for i, j in T.grid(4, 4):
        with T.sblock("outer"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(A[vi, vj, 0:8])
            T.writes(B[vi, vj, 0:8])
            for k in range(8):
                with T.sblock("inner"):
                    vk = T.axis.spatial(8, k)
                    B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2)
