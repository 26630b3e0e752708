# The row that is written is no affine function of the loops, and rows come twice.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 4), "float32"), B: T.Buffer((16, 4), "float32")):
    for i, j, k in T.grid(4, 4, 4):
        with T.sblock("B"):
            vi = T.axis.spatial(16, i * i + j)
            vk = T.axis.spatial(4, k)
            B[vi, vk] = A[vi, vk] + T.float32(1)
