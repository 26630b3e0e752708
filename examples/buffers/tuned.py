# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# 16 threads sum a row of C each. What they need of A goes through two buffers
# in shared memory: while one is read, the next 16 numbers go to the other. The
# barrier at the end of a turn is lost.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16, 64), "float32"), B: T.Buffer((64, 16), "float32"), C: T.Buffer((16, 16), "float32")):
        for i in T.thread_binding(16, thread="blockIdx.x"):
            rows = T.alloc_buffer((2, 16), "float32", scope="shared")
            total = T.alloc_buffer((1,), "float32", scope="local")
            for j in T.thread_binding(16, thread="threadIdx.x"):
                total[0] = T.float32(0)
                rows[0, j] = A[i, j]
                T.evaluate(T.tvm_storage_sync("shared"))
                for t in range(4):
                    if t < 3:
                        rows[(t + 1) % 2, j] = A[i, (t + 1) * 16 + j]
                    for k in range(16):
                        total[0] = total[0] + rows[t % 2, k] * B[t * 16 + k, j]
                C[i, j] = total[0]
