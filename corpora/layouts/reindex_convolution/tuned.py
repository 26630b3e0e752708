from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((1, 18, 18, 4), "float32"), W: T.Buffer((3, 3, 4, 8), "float32"), C: T.Buffer((1, 16, 16, 8), "float32")):
        # with T.sblock("root"):
        C_reindex = T.sblock_alloc_buffer((256, 8))
        A_reindex = T.sblock_alloc_buffer((256, 36))
        W_reindex = T.sblock_alloc_buffer((36, 8))
        for ax0, ax1 in T.grid(256, 36):
            with T.sblock("A_reindex_reindex"):
                v0, v1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(A[0, v0 // 16 + v1 // 12, v0 % 16 + v1 % 12 // 4, v1 % 4])
                T.writes(A_reindex[v0, v1])
                A_reindex[v0, v1] = A[0, v0 // 16 + v1 // 12, v0 % 16 + v1 % 12 // 4, v1 % 4]
        for ax0, ax1, ax2, ax3 in T.grid(8, 3, 3, 4):
            with T.sblock("W_reindex_reindex"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(W[v1, v2, v3, v0])
                T.writes(W_reindex[v1 * 12 + v2 * 4 + v3, v0])
                W_reindex[v1 * 12 + v2 * 4 + v3, v0] = W[v1, v2, v3, v0]
        for ax0, ax1, ax2 in T.grid(256, 8, 36):
            with T.sblock("C"):
                v0, v1, v2 = T.axis.remap("SSR", [ax0, ax1, ax2])
                T.reads(A_reindex[v0, v2], W_reindex[v2, v1])
                T.writes(C_reindex[v0, v1])
                with T.init():
                    C_reindex[v0, v1] = T.float32(0.0)
                C_reindex[v0, v1] = C_reindex[v0, v1] + A_reindex[v0, v2] * W_reindex[v2, v1]
        for ax0, ax1 in T.grid(256, 8):
            with T.sblock("C_reindex"):
                v0, v1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(C_reindex[v0, v1])
                T.writes(C[0, v0 // 16, v0 % 16, v1])
                C[0, v0 // 16, v0 % 16, v1] = C_reindex[v0, v1]
