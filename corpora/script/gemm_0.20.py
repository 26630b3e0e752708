# SPDX-License-Identifier: Apache-2.0
# A blocked matrix product in the spelling of TVM 0.12 to 0.23.
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16, 16), "float32"), C: T.Buffer((16, 16), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        # with T.block("root"):
        S = T.alloc_buffer((16, 16), scope="shared")
        for i in range(16):
            for j in T.vectorized(16):
                with T.block("S"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(A[vi, vj])
                    T.writes(S[vi, vj])
                    S[vi, vj] = A[vi, vj] * T.float32(2.0)
        for i0 in T.thread_binding(4, thread="blockIdx.x"):
            for i1, j, k in T.grid(4, 16, 16):
                with T.block("C"):
                    vi = T.axis.spatial(16, i0 * 4 + i1)
                    vj, vk = T.axis.remap("SR", [j, k])
                    T.where(i0 * 4 + i1 < 15)
                    T.reads(C[vi, vj], S[vi, vk], B[vk, vj])
                    T.writes(C[vi, vj])
                    T.block_attr({"axis": 1})
                    with T.init():
                        C[vi, vj] = T.float32(0.0)
                    C[vi, vj] = C[vi, vj] + S[vi, vk] * B[vk, vj]
