# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((512,), "float32"), C: T.Buffer((512,), "float32")):
    for tx in T.thread_binding(T.uint8(200), T.uint8(44), thread="threadIdx.x"):
        C[tx] = A[tx]
