# Terms that a loop takes by no affine function, some twice.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 64), "float32"), B: T.Buffer((4,), "float32")):
    for i, k in T.grid(4, 8):
        with T.sblock("B"):
            vi = T.axis.spatial(4, i)
            vk = T.axis.reduce(64, T.floordiv(k * k, 2))
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
