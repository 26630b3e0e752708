# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for bx in T.thread_binding(8, thread="blockIdx.x"):
        B[bx] = A[bx]
        C[bx] = B[7 - bx]
