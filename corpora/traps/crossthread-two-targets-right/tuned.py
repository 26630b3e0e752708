# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8), "float32"), C: T.Buffer((4,), "float32"), D: T.Buffer((4,), "float32")):
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for ko in range(2):
            for tx in T.thread_binding(4, thread="threadIdx.x"):
                with T.sblock("b"):
                    i = T.axis.spatial(4, bx)
                    k = T.axis.reduce(8, ko * 4 + tx)
                    with T.init():
                        C[i] = T.float32(0)
                        D[i] = T.float32(0)
                    C[i] = C[i] + A[i, k]
                    D[i] = T.max(D[i], A[i, k])
