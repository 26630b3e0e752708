# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 16), "float16"), B: T.Buffer((16, 8), "float16"), C: T.Buffer((16, 8), "float32")):
    a = T.alloc_buffer((8,), "float16", scope="local")
    b = T.alloc_buffer((4,), "float16", scope="local")
    c = T.alloc_buffer((4,), "float32", scope="local")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        for i in range(8):
            a[i] = A[tx // 4 + 8 * (i // 2 % 2), tx % 4 * 2 + i % 2 + 8 * (i // 4)]
        for i in range(4):
            b[i] = B[tx % 4 * 2 + i % 2 + 8 * (i // 2), tx // 4]
        for i in range(4):
            c[i] = T.float32(0)
        T.evaluate(T.ptx_mma("m16n8k16", "row", "col", "fp16", "fp16", "fp32", a.data, 0, b.data, 0, c.data, 0, False, dtype="float32"))
        for i in range(4):
            C[tx // 4 + 8 * (i // 2), tx % 4 * 2 + i % 2] = c[i]
