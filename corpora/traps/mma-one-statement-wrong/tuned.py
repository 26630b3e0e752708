# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float16"), B: T.Buffer((8, 8), "float16"), C: T.Buffer((16, 8), "float16")):
    a = T.alloc_buffer((128,), "float16", scope="warp")
    b = T.alloc_buffer((2,), "float16", scope="local")
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        for i in range(4):
            a[tx * 4 + i] = A[tx // 4 + i // 2 * 8, tx % 4 * 2 + i % 2]
        for i in range(2):
            b[i] = B[tx % 4 * 2 + i, tx // 4]
        T.evaluate(T.ptx_mma("m16n8k8", "row", "col", "fp16", "fp16", "fp16", a.data, tx * 4, b.data, 0, a.data, (31 - tx) * 4, False, dtype="float16"))
        for i in range(4):
            C[tx // 4 + i // 2 * 8, tx % 4 * 2 + i % 2] = a[(31 - tx) * 4 + i]
