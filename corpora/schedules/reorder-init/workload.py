# Elements and terms in one loop.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((5, 4), "float32"), B: T.Buffer((5,), "float32")):
    for f in range(20):
        with T.sblock("B"):
            vi = T.axis.spatial(5, f // 4)
            vk = T.axis.reduce(4, f % 4)
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
