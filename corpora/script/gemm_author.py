# SPDX-License-Identifier: Apache-2.0
# The same product as an author writes it: what the parser fills in is left out
# (global_symbol, data types, the regions, the root block).
@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((16, 16)), B: T.Buffer((16, 16)), C: T.Buffer((16, 16))):
        T.func_attr({"tir.noalias": True})
        S = T.alloc_buffer((16, 16), scope="shared")
        for i in range(16):
            for j in T.vectorized(16):
                with T.block("S"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    S[vi, vj] = A[vi, vj] * 2
        for i0 in T.thread_binding(4, "blockIdx.x"):
            for i1, j, k in T.grid(4, 16, 16):
                with T.block("C"):
                    vi = T.axis.S(16, i0 * 4 + i1)
                    vj, vk = T.axis.remap("SR", [j, k])
                    T.where(i0 * 4 + i1 < 15)
                    T.reads(C[vi, vj], S[vi, vk], B[vk, vj])
                    T.block_attr({"axis": 1})
                    with T.init():
                        C[vi, vj] = 0.0
                    C[vi, vj] += S[vi, vk] * B[vk, vj]
