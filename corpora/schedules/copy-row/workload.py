# An element-wise stage.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((10,), "float32"), B: T.Buffer((10,), "float32")):
    for i in range(10):
        with T.sblock("B"):
            vi = T.axis.spatial(10, i)
            B[vi] = A[vi] + T.float32(1)
