# A block that hands out an address.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32")):
    for i in range(8):
        with T.sblock("B"):
            vi = T.axis.opaque(8, i)
            T.reads(A[0:8])
            T.writes(A[0:8])
            A[vi] = A[7 - vi] + T.float32(1)
