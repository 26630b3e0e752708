# An element-wise stage.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 12, 10), "float32"), B: T.Buffer((16, 12, 10), "float32")):
    for i, j, k in T.grid(16, 12, 10):
        with T.sblock("B"):
            vi, vj, vk = T.axis.remap("SSS", [i, j, k])
            B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2)
