# Reductions in nests below one loop.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 4, 8), "float32"), E: T.Buffer((4, 4, 8), "float32")):
    for i in range(4):
        for j in range(4):
            for ko, ki in T.grid(2, 4):
                with T.sblock("B"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    vk = T.axis.reduce(8, ko * 4 + ki)
                    with T.init():
                        E[vi, vj, 0] = T.float32(0)
                    E[vi, vj, 0] = E[vi, vj, 0] + A[vi, vj, vk]
        for j in range(4):
            for ko, ki in T.grid(2, 4):
                with T.sblock("C"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    vk = T.axis.reduce(8, ko * 4 + ki)
                    with T.init():
                        E[vi, vj, 1] = T.float32(0)
                    E[vi, vj, 1] = E[vi, vj, 1] + A[vi, vj, vk]
