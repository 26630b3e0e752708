from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((6, 7), "float32"), W: T.Buffer((7,), "float32"), C: T.Buffer((6,), "float32"), D: T.Buffer((6, 7), "float32")):
        # with T.sblock("root"):
        A_pad = T.sblock_alloc_buffer((8, 8))
        C_pad = T.sblock_alloc_buffer((8,))
        A_pad_1 = T.sblock_alloc_buffer((8, 8))
        W_pad = T.sblock_alloc_buffer((8,))
        C_pad_1 = T.sblock_alloc_buffer((8,))
        D_pad = T.sblock_alloc_buffer((8, 8))
        for i0, i1 in T.grid(8, 8):
            with T.sblock("A_pad"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1])
                T.writes(A_pad[v0, v1])
                A_pad[v0, v1] = T.if_then_else(v0 < 6 and v1 < 7, A[v0, v1], T.float32(0.0))
        for i, k in T.grid(8, 8):
            with T.sblock("C"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.reads(A_pad[vi, vk])
                T.writes(C_pad[vi])
                with T.init():
                    C_pad[vi] = T.float32(0.0)
                C_pad[vi] = C_pad[vi] + A_pad[vi, vk]
        for i0 in range(6):
            with T.sblock("C_pad"):
                v0 = T.axis.spatial(6, i0)
                T.reads(C_pad[v0])
                T.writes(C[v0])
                C[v0] = C_pad[v0]
        for i0, i1 in T.grid(8, 8):
            with T.sblock("A_pad"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1])
                T.writes(A_pad_1[v0, v1])
                A_pad_1[v0, v1] = T.if_then_else(v0 < 6 and v1 < 7, A[v0, v1], T.float32(0.0))
        for i0 in range(8):
            with T.sblock("W_pad"):
                v0 = T.axis.spatial(8, i0)
                T.reads(W[v0])
                T.writes(W_pad[v0])
                W_pad[v0] = T.if_then_else(v0 < 7, W[v0], T.float32(0.0))
        for i0 in range(8):
            with T.sblock("C_pad"):
                v0 = T.axis.spatial(8, i0)
                T.reads(C[v0])
                T.writes(C_pad_1[v0])
                C_pad_1[v0] = T.if_then_else(v0 < 6, C[v0], T.float32(0.0))
        for i, k in T.grid(8, 8):
            with T.sblock("D"):
                vi, vk = T.axis.remap("SS", [i, k])
                T.reads(A_pad_1[vi, vk], W_pad[vk], C_pad_1[vi])
                T.writes(D_pad[vi, vk])
                D_pad[vi, vk] = A_pad_1[vi, vk] / W_pad[vk] + C_pad_1[vi]
        for i0, i1 in T.grid(6, 7):
            with T.sblock("D_pad"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(D_pad[v0, v1])
                T.writes(D[v0, v1])
                D[v0, v1] = D_pad[v0, v1]
