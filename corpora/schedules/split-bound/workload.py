# A loop bound to threads.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((12, 10), "float32"), B: T.Buffer((12, 10), "float32")):
    for j in range(12):
        for k in T.thread_binding(10, thread="threadIdx.x"):
            with T.sblock("B"):
                vj, vk = T.axis.remap("SS", [j, k])
                B[vj, vk] = A[vj, vk] * T.float32(2)
