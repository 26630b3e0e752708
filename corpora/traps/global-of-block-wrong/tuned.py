# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 8), "float32"), C: T.Buffer((4, 8), "float32")):
    with T.sblock("root"):
        X = T.sblock_alloc_buffer((1,), "float32")
        for bx in T.thread_binding(4, thread="blockIdx.x"):
            for tx in T.thread_binding(8, thread="threadIdx.x"):
                with T.sblock("p"):
                    i, j = T.axis.remap("SS", [bx, tx])
                    X[0] = A[i, j]
            for tx in T.thread_binding(8, thread="threadIdx.x"):
                with T.sblock("q"):
                    i, j = T.axis.remap("SS", [bx, tx])
                    C[i, j] = X[0]
