# A guard of splits of splits.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    for a, b, c in T.grid(7, 4, 8):
        with T.sblock("B"):
            vi = T.axis.spatial(4, a)
            T.where(a + (b * 8 + c) < 4 and b * 8 + c < 1)
            B[vi] = A[vi] * 3 + 7
