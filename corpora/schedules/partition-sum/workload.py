# Row sums.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 7), "float32"), B: T.Buffer((6,), "float32")):
    for i, k in T.grid(6, 7):
        with T.sblock("B"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + A[vi, vk]
