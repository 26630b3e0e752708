# A reader that takes the address of what it reads.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    B = T.sblock_alloc_buffer((8,), "float32")
    for i in range(8):
        with T.sblock("B"):
            vi = T.axis.spatial(8, i)
            B[vi] = A[vi] * T.float32(2)
    for i in range(8):
        with T.sblock("C"):
            vi = T.axis.spatial(8, i)
            T.reads(B[0:8])
            T.writes(C[vi])
            T.evaluate(T.tvm_access_ptr(T.type_annotation("float32"), B.data, 0, 8, 1))
            C[vi] = B[vi]
