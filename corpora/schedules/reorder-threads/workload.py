# A sum across threads.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 4, 4), "float32"), B: T.Buffer((4,), "float32")):
    for i, j, k in T.grid(4, 4, 4):
        with T.sblock("B"):
            vi, vj, vk = T.axis.remap("SRR", [i, j, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vj, vk]
