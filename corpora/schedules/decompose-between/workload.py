# Between the loop and the reduction a block writes what the init starts from.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8,), "float32")):
    S = T.sblock_alloc_buffer((8,), "float32")
    for i in range(8):
        with T.sblock("S"):
            vi = T.axis.spatial(8, i)
            S[vi] = T.float32(3) * A[vi, 0]
        for k in range(8):
            with T.sblock("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = S[vi]
                B[vi] = B[vi] + A[vi, vk]
