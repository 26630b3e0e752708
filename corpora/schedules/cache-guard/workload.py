# A block whose guard leaves out the end, flattened.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(C: T.Buffer((30,), "float32")):
    A = T.sblock_alloc_buffer((30,), "float32")
    for i, j in T.grid(4, 8):
        with T.sblock("A"):
            v = T.axis.spatial(30, i * 8 + j)
            T.where(i * 8 + j < 30)
            A[v] = T.float32(1) * T.Cast("float32", v)
    for i in range(30):
        with T.sblock("C"):
            v = T.axis.spatial(30, i)
            C[v] = A[v] + T.float32(1)
