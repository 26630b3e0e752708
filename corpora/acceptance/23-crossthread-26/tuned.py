# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((26, 8, 128), "float32"), B: T.Buffer((1, 8, 128), "float32")):
    for bx in T.thread_binding(128, thread="blockIdx.x"):
        for ty in T.thread_binding(8, thread="threadIdx.y"):
            for tx in T.thread_binding(26, thread="threadIdx.x"):
                with T.sblock("sum"):
                    v1, v2, vl = T.axis.remap("SSR", [ty, bx, tx])
                    with T.init():
                        B[0, v1, v2] = T.float32(0)
                    B[0, v1, v2] = B[0, v1, v2] + A[vl, v1, v2]
