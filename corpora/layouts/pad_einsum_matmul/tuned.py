from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((7, 10), "float16"), W: T.Buffer((9, 10), "float16"), C: T.Buffer((7, 9), "float32")):
        # with T.sblock("root"):
        A_pad = T.sblock_alloc_buffer((8, 10), "float16")
        C_pad = T.sblock_alloc_buffer((8, 9))
        A_pad_pad = T.sblock_alloc_buffer((8, 12), "float16")
        W_pad = T.sblock_alloc_buffer((12, 12), "float16")
        C_pad_pad = T.sblock_alloc_buffer((8, 12))
        A_pad_pad_pad = T.sblock_alloc_buffer((16, 12), "float16")
        C_pad_pad_pad = T.sblock_alloc_buffer((16, 12))
        for i0, i1 in T.grid(8, 10):
            with T.sblock("A_pad"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1])
                T.writes(A_pad[v0, v1])
                A_pad[v0, v1] = T.if_then_else(v0 < 7, A[v0, v1], T.float16(0.0))
        for i0, i1 in T.grid(8, 12):
            with T.sblock("A_pad_pad"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A_pad[v0, v1])
                T.writes(A_pad_pad[v0, v1])
                A_pad_pad[v0, v1] = T.if_then_else(v1 < 10, A_pad[v0, v1], T.float16(0.0))
        for i0, i1 in T.grid(12, 12):
            with T.sblock("W_pad"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(W[v0, v1])
                T.writes(W_pad[v0, v1])
                W_pad[v0, v1] = T.if_then_else(v0 < 9 and v1 < 10, W[v0, v1], T.float16(0.0))
        for i0, i1 in T.grid(16, 12):
            with T.sblock("A_pad_pad_pad"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A_pad_pad[v0, v1])
                T.writes(A_pad_pad_pad[v0, v1])
                A_pad_pad_pad[v0, v1] = T.if_then_else(v0 < 8, A_pad_pad[v0, v1], T.float16(0.0))
        for i, j, k in T.grid(16, 12, 12):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                T.reads(A_pad_pad_pad[vi, vk], W_pad[vj, vk])
                T.writes(C_pad_pad_pad[vi, vj])
                with T.init():
                    C_pad_pad_pad[vi, vj] = T.float32(0.0)
                C_pad_pad_pad[vi, vj] = C_pad_pad_pad[vi, vj] + T.Cast("float32", A_pad_pad_pad[vi, vk]) * T.Cast("float32", W_pad[vj, vk])
        for i0, i1 in T.grid(8, 12):
            with T.sblock("C_pad_pad_pad"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(C_pad_pad_pad[v0, v1])
                T.writes(C_pad_pad[v0, v1])
                C_pad_pad[v0, v1] = C_pad_pad_pad[v0, v1]
        for i0, i1 in T.grid(8, 9):
            with T.sblock("C_pad_pad"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(C_pad_pad[v0, v1])
                T.writes(C_pad[v0, v1])
                C_pad[v0, v1] = C_pad_pad[v0, v1]
        for i0, i1 in T.grid(7, 9):
            with T.sblock("C_pad"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(C_pad[v0, v1])
                T.writes(C[v0, v1])
                C[v0, v1] = C_pad[v0, v1]
