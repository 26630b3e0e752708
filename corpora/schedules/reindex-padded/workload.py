# A padded read.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 6), "int32"), C: T.Buffer((6, 6), "int32")):
    for i, j in T.grid(6, 6):
        with T.sblock("C"):
            vi, vj = T.axis.remap("SS", [i, j])
            C[vi, vj] = T.if_then_else(1 <= vi and vi < 5, A[vi - 1, vj], 0) + 1
