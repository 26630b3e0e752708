# A row that is padded with zeros.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((12,), "float32")):
    for i in range(12):
        with T.sblock("B"):
            vi = T.axis.spatial(12, i)
            B[vi] = T.if_then_else(2 <= vi and vi < 10, A[vi - 2], T.float32(0))
