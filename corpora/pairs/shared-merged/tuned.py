# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    with T.launch_thread("blockIdx.x", 1) as bx:
        merged = T.alloc_buffer((64,), "uint8", scope="shared.dyn")
        X = T.decl_buffer((8,), "float32", data=merged.data, scope="shared.dyn")
        Y = T.decl_buffer((8,), "float32", data=merged.data, scope="shared.dyn")
        with T.launch_thread("threadIdx.x", 8) as tx:
            X[tx] = A[tx]
            Y[tx + 8] = A[tx] * T.float32(2)
            T.tvm_storage_sync("shared")
            C[tx] = X[7 - tx] + Y[(tx + 1) % 8 + 8]
