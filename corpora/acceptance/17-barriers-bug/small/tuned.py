# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16, 8), "float32"), C: T.Buffer((16, 8), "float32")):
    S = T.alloc_buffer((8,), "float32", scope="shared")
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            with T.sblock("rows"):
                vb, vt = T.axis.remap("SS", [bx, tx])
                for r in range(4):
                    S[vt] = A[vb * 4 + r, vt]
                    T.evaluate(T.tvm_storage_sync("shared"))
                    C[vb * 4 + r, vt] = S[7 - vt] * T.float32(2) + S[vt]
