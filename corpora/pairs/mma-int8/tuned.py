# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 64), "int8"), B: T.Buffer((8, 64), "int8"), C: T.Buffer((16, 8), "int32")):
    a = T.alloc_buffer((16,), "int8", scope="local")
    b = T.alloc_buffer((8,), "int8", scope="local")
    c = T.alloc_buffer((4,), "int32", scope="local")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        T.evaluate(T.mma_fill(4, c.data, 0, dtype="int32"))
        for ko in range(2):
            for i in range(16):
                a[i] = A[i // 4 % 2 * 8 + tx // 4, ko * 32 + i // 8 * 16 + tx % 4 * 4 + i % 4]
            for i in range(8):
                b[i] = B[tx // 4, ko * 32 + i // 4 * 16 + tx % 4 * 4 + i % 4]
            T.evaluate(T.ptx_mma("m16n8k32", "row", "col", "int8", "int8", "int32", a.data, 0, b.data, 0, c.data, 0, False, dtype="int32"))
        for i in range(4):
            C[i // 2 * 8 + tx // 4, tx % 4 * 2 + i % 2] = c[i]
