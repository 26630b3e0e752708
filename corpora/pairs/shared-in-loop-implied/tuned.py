# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8), "float32"), C: T.Buffer((4, 8), "float32")):
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        for n in range(4):
            with T.sblock("b"):
                vt, vn = T.axis.remap("SS", [tx, n])
                S = T.alloc_buffer((8,), "float32", scope="shared")
                S[vt] = A[vn, vt]
                C[vn, vt] = S[7 - vt]
