from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("n", 10), "float32"), B: T.Buffer((n, 10), "float32"), C: T.Buffer((n,), "float32"), n: T.int32):
        # with T.sblock("root"):
        A_pad = T.sblock_alloc_buffer(((n + 7) // 8 * 8, 12))
        B_pad = T.sblock_alloc_buffer(((n + 7) // 8 * 8, 12))
        C_pad = T.sblock_alloc_buffer(((n + 7) // 8 * 8,))
        for i0, i1 in T.grid((n + 7) // 8 * 8, 12):
            with T.sblock("A_pad"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(A[v0, v1])
                T.writes(A_pad[v0, v1])
                A_pad[v0, v1] = T.if_then_else(v0 < n and v1 < 10, A[v0, v1], T.float32(0.0))
        for i0, i1 in T.grid((n + 7) // 8 * 8, 12):
            with T.sblock("B_pad"):
                v0, v1 = T.axis.remap("SS", [i0, i1])
                T.reads(B[v0, v1])
                T.writes(B_pad[v0, v1])
                B_pad[v0, v1] = T.if_then_else(v0 < n and v1 < 10, B[v0, v1], T.float32(0.0))
        for x, y in T.grid((n + 7) // 8 * 8, 12):
            with T.sblock("B"):
                v, w = T.axis.remap("SR", [x, y])
                T.reads(A_pad[v, w], B_pad[v, w])
                T.writes(C_pad[v])
                with T.init():
                    C_pad[v] = T.float32(0.0)
                C_pad[v] = C_pad[v] + A_pad[v, w] * B_pad[v, w]
        for i0 in range(n):
            with T.sblock("C_pad"):
                v0 = T.axis.spatial(n, i0)
                T.reads(C_pad[v0])
                T.writes(C[v0])
                C[v0] = C_pad[v0]
