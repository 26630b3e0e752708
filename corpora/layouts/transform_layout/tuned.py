from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8, 12), "float32"), C: T.Buffer((12, 8), "float32")):
        # with T.sblock("root"):
        B = T.sblock_alloc_buffer((2, 4, 4, 3))
        for i, j in T.grid(8, 12):
            with T.sblock("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(B[vi // 4, vj // 3, vi % 4, vj % 3])
                B[vi // 4, vj // 3, vi % 4, vj % 3] = A[vi, vj] * T.float32(2.0)
        for i, j in T.grid(8, 12):
            with T.sblock("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B[vi // 4, vj // 3, vi % 4, vj % 3])
                T.writes(C[vj, vi])
                C[vj, vi] = B[vi // 4, vj // 3, vi % 4, vj % 3] + T.float32(1.0)
