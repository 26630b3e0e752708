# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((1, 8, 8, 64), "float32"), W: T.Buffer((3, 3, 64, 64), "float32"), bias: T.Buffer((64,), "float32"), O: T.Buffer((1, 8, 8, 64), "float32")):
    Ps = T.alloc_buffer((6, 10, 8), "float32", scope="shared")
    Ws = T.alloc_buffer((3, 3, 8, 64), "float32", scope="shared")
    Y = T.alloc_buffer((8,), "float32", scope="local")
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for tx in T.thread_binding(256, thread="threadIdx.x"):
            for rr in range(8):
                Y[rr] = T.float32(0)
            for c0 in range(1):
                for q in range(2):
                    if q * 256 + tx < 480:
                        Ps[(q * 256 + tx) // 80, (q * 256 + tx) % 80 // 8, (q * 256 + tx) % 8] = T.if_then_else(1 <= bx // 1 * 4 + (q * 256 + tx) // 80 and bx // 1 * 4 + (q * 256 + tx) // 80 < 9 and 1 <= bx % 1 * 8 + (q * 256 + tx) % 80 // 8 and bx % 1 * 8 + (q * 256 + tx) % 80 // 8 < 9, X[0, bx // 1 * 4 + (q * 256 + tx) // 80 - 1, bx % 1 * 8 + (q * 256 + tx) % 80 // 8 - 1, c0 * 8 + (q * 256 + tx) % 8], T.float32(0))
                for q in range(18):
                    Ws[(q * 256 + tx) // 1536, (q * 256 + tx) % 1536 // 512, (q * 256 + tx) % 512 // 64, (q * 256 + tx) % 64] = W[(q * 256 + tx) // 1536, (q * 256 + tx) % 1536 // 512, c0 * 8 + (q * 256 + tx) % 512 // 64, (q * 256 + tx) % 64]
                T.evaluate(T.tvm_storage_sync("shared"))
                for r, s, c1, rr in T.grid(3, 3, 8, 8):
                    Y[rr] = Y[rr] + Ps[tx // 64 + r, rr + s, c1] * Ws[r, s, c1, tx % 64]
                T.evaluate(T.tvm_storage_sync("shared"))
            for rr in range(8):
                O[0, bx // 1 * 4 + tx // 64, bx % 1 * 8 + rr, tx % 64] = T.max(Y[rr] + bias[tx % 64], T.float32(0))
