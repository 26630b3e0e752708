# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((26, 8, 128), "float32"), B: T.Buffer((1, 8, 128), "float32")):
    red = T.alloc_buffer((256,), "float32", scope="shared")
    for bx in T.thread_binding(128, thread="blockIdx.x"):
        for ty in T.thread_binding(8, thread="threadIdx.y"):
            for tx in T.thread_binding(26, thread="threadIdx.x"):
                red[ty * 32 + tx] = A[tx, ty, bx]
                T.evaluate(T.tvm_storage_sync("shared"))
                if tx < 16:
                    red[ty * 32 + tx] = red[ty * 32 + tx] + red[ty * 32 + tx + 16]
                T.evaluate(T.tvm_storage_sync("shared"))
                if tx < 8:
                    red[ty * 32 + tx] = red[ty * 32 + tx] + red[ty * 32 + tx + 8]
                T.evaluate(T.tvm_storage_sync("shared"))
                if tx < 4:
                    red[ty * 32 + tx] = red[ty * 32 + tx] + red[ty * 32 + tx + 4]
                T.evaluate(T.tvm_storage_sync("shared"))
                if tx < 2:
                    red[ty * 32 + tx] = red[ty * 32 + tx] + red[ty * 32 + tx + 2]
                T.evaluate(T.tvm_storage_sync("shared"))
                if tx < 1:
                    red[ty * 32 + tx] = red[ty * 32 + tx] + red[ty * 32 + tx + 1]
                T.evaluate(T.tvm_storage_sync("shared"))
                if tx == 0:
                    B[0, ty, bx] = red[ty * 32 + 0]
