# A reduction of which a later stage reads more than it makes.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8), "float32"), D: T.Buffer((8,), "float32")):
    C = T.sblock_alloc_buffer((8,), "float32")
    for i, k in T.grid(4, 8):
        with T.sblock("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + A[vi, vk]
    for i in range(8):
        with T.sblock("D"):
            vi = T.axis.spatial(8, i)
            D[vi] = T.if_then_else(vi < 4, C[vi], T.float32(0))
