# Two stages below one loop.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 8), "float32"), B: T.Buffer((6, 8), "float32"), C: T.Buffer((6, 8), "float32")):
    for i in range(6):
        for j in range(8):
            with T.sblock("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)
        for j in T.serial(8, annotations={"useless": 1}):
            with T.sblock("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vi, vj] + T.float32(1)
