# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32")):
    S = T.alloc_buffer((32, 32), "float32", scope="shared")
    for by in T.thread_binding(1, thread="blockIdx.y"):
        for bx in T.thread_binding(1, thread="blockIdx.x"):
            for ty in T.thread_binding(8, thread="threadIdx.y"):
                for tx in T.thread_binding(32, thread="threadIdx.x"):
                    for r in range(4):
                        S[ty * 4 + r, T.bitwise_xor(tx, ty * 4 + r)] = A[by * 32 + ty * 4 + r, bx * 32 + tx]
                    T.evaluate(T.tvm_storage_sync("shared"))
                    for r in range(4):
                        B[bx * 32 + ty * 4 + r, by * 32 + tx] = S[tx, T.bitwise_xor(ty * 4 + r, tx % 16)]
