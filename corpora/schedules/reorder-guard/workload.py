# A guard over all four loops.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 4, 4, 4), "float32"), B: T.Buffer((4, 4, 4, 4), "float32")):
    for i, j, k, l in T.grid(4, 4, 4, 4):
        with T.sblock("B"):
            vi, vj, vk, vl = T.axis.remap("SSSS", [i, j, k, l])
            T.where(i * 64 + j * 16 + k * 4 + l < 100)
            B[vi, vj, vk, vl] = A[vi, vj, vk, vl] * T.float32(2)
