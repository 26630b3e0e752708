# SPDX-License-Identifier: Apache-2.0
# Lowered code in the spelling of TVM 0.9: threads, allocation, vectors, let.
@T.prim_func
def main(a: T.handle, c: T.handle) -> None:
    T.func_attr({"global_symbol": "main"})
    A = T.match_buffer(a, [64], dtype="float32")
    C = T.match_buffer(c, [64], dtype="float32")
    bx = T.env_thread("blockIdx.x")
    tx = T.env_thread("threadIdx.x")
    T.launch_thread(bx, 4)
    T.launch_thread(tx, 4)
    B = T.allocate([16], "float32", "shared")
    with T.attr(B, "volatile_scope", 1):
        B[tx] = A[bx * 16 + tx]
        T.evaluate(T.tvm_storage_sync("shared", dtype="int32"))
        for i in T.unroll(0, 4):
            if tx < 2:
                C[bx * 16 + i] = T.exp(B[i], dtype="float32")
            else:
                C[bx * 16 + i] = T.if_then_else(i < 2, B[i], T.cast(i, "float32"), dtype="float32")
