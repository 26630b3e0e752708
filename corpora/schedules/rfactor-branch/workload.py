# Two reductions in one nest.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for k, i in T.grid(8, 8):
        with T.sblock("B"):
            vk, vi = T.axis.remap("RS", [k, i])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
        with T.sblock("C"):
            vk, vi = T.axis.remap("RS", [k, i])
            with T.init():
                C[vi] = T.float32(1)
            C[vi] = C[vi] * A[vi, vk]
