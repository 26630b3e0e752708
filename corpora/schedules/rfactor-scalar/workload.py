# A sum of everything.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((), "float32")):
    for k in range(8):
        with T.sblock("B"):
            vk = T.axis.reduce(8, k)
            with T.init():
                B[()] = T.float32(0)
            B[()] = B[()] + A[vk]
