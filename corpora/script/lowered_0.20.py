# SPDX-License-Identifier: Apache-2.0
# Lowered code in the spelling of TVM 0.12 to 0.23.
# from tvm.script import tir as T

@T.prim_func
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    blockIdx_x = T.launch_thread("blockIdx.x", 4)
    with T.launch_thread("threadIdx.x", 4) as threadIdx_x:
        B = T.allocate([16], "float32", "shared")
        T.attr(B, "volatile_scope", 1)
        B[threadIdx_x] = A[blockIdx_x * 16 + threadIdx_x]
        T.tvm_storage_sync("shared")
        for i in T.unroll(4):
            if threadIdx_x < 2:
                C[blockIdx_x * 16 + i] = T.exp(B[i])
            else:
                C[blockIdx_x * 16 + i] = T.if_then_else(i < 2, B[i], T.Cast("float32", i))
