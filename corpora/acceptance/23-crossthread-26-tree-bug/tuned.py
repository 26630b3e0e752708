# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((26, 8, 128), "float32"), B: T.Buffer((1, 8, 128), "float32")):
    red = T.alloc_buffer((256,), "float32", scope="shared")
    for bx in T.thread_binding(128, thread="blockIdx.x"):
        for ty in T.thread_binding(8, thread="threadIdx.y"):
            for tx in T.thread_binding(26, thread="threadIdx.x"):
                red[tx] = A[tx, ty, bx]
                T.evaluate(T.tvm_storage_sync("shared"))
                if tx < 10:
                    red[tx] = red[tx] + red[tx + 16]
                T.evaluate(T.tvm_storage_sync("shared"))
                if tx < 8:
                    red[tx] = red[tx] + red[tx + 8]
                T.evaluate(T.tvm_storage_sync("shared"))
                if tx < 4:
                    red[tx] = red[tx] + red[tx + 4]
                T.evaluate(T.tvm_storage_sync("shared"))
                if tx < 2:
                    red[tx] = red[tx] + red[tx + 2]
                T.evaluate(T.tvm_storage_sync("shared"))
                if tx < 1:
                    red[tx] = red[tx] + red[tx + 1]
                T.evaluate(T.tvm_storage_sync("shared"))
                if tx == 0:
                    B[0, ty, bx] = red[0]
