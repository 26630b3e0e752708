# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 128), "float16"), B: T.Buffer((2, 128), "int8"), C: T.Buffer((2, 128), "float32")):
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        merged = T.alloc_buffer((640,), "uint8", scope="shared.dyn")
        X = T.decl_buffer((128,), "float16", data=merged.data, scope="shared.dyn")
        Y = T.decl_buffer((640,), "int8", data=merged.data, scope="shared.dyn")
        Z = T.decl_buffer((160,), "float32", data=merged.data, scope="shared.dyn")
        h = T.alloc_buffer((1,), "float32", scope="local")
        for tx in T.thread_binding(128, thread="threadIdx.x"):
            X[tx] = A[bx, tx]
            Y[tx + 512] = B[bx, tx]
            T.evaluate(T.tvm_storage_sync("shared"))
            h[0] = T.Cast("float32", X[127 - tx])
            Z[127 - tx] = T.exp(h[0])
            T.evaluate(T.tvm_storage_sync("shared"))
            C[bx, tx] = h[0] + T.Cast("float32", Y[(tx + 1) % 128 + 512]) * Z[127 - tx]
