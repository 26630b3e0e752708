from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((6, 6), "int32"), B: T.Buffer((4, 6), "int32"), D: T.Buffer((4,), "int32")):
        # with T.sblock("root"):
        A_reindex = T.sblock_alloc_buffer((4, 6), "int32")
        B_reindex = T.sblock_alloc_buffer((4, 6), "int32")
        for ax0, ax1 in T.grid(4, 6):
            with T.sblock("A_reindex_reindex"):
                v0, v1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(A[v0 + 2, 5 - v1])
                T.writes(A_reindex[v0, v1])
                A_reindex[v0, v1] = A[v0 + 2, 5 - v1]
        for i, j in T.grid(4, 6):
            with T.sblock("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A_reindex[vi, vj])
                T.writes(B[vi, vj])
                B[vi, vj] = A_reindex[vi, vj] + T.Select(vi < 2, A_reindex[vi, vj], 0)
        for ax0, ax1 in T.grid(4, 6):
            with T.sblock("B_reindex_reindex"):
                v0, v1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(B[v0, v1])
                T.writes(B_reindex[v0, v1])
                B_reindex[v0, v1] = B[v0, v1]
        for i, j in T.grid(4, 6):
            with T.sblock("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(B_reindex[vi, vj])
                T.writes(D[vi])
                D[vi] = B_reindex[vi, vj]
