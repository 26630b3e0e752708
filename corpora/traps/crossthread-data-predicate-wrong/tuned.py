# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8), "float32"), P: T.Buffer((4,), "int32"), C: T.Buffer((4,), "float32")):
    for bx in T.thread_binding(4, thread="blockIdx.x"):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            with T.sblock("b"):
                i = T.axis.spatial(4, bx)
                k = T.axis.reduce(8, tx)
                T.where(P[bx] > 0)
                with T.init():
                    C[i] = T.float32(0)
                C[i] = C[i] + A[i, k]
