# A block guarded on a fused loop.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((5,), "int32"), B: T.Buffer((5,), "int32")):
    for f in range(14):
        with T.sblock("B"):
            vi = T.axis.spatial(5, f)
            T.where(f // 7 * 7 + f % 7 < 5)
            B[vi] = A[vi] * 2 - 1
