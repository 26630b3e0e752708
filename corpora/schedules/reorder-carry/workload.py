# One loop carries elements and terms, next to an init.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4,), "float32")):
    for i, f in T.grid(2, 8):
        with T.sblock("B"):
            vi = T.axis.spatial(4, i * 2 + f // 4)
            vk = T.axis.reduce(4, f % 4)
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
