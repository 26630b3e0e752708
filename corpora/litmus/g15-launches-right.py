# SPDX-License-Identifier: Apache-2.0
# G15 right: ok
# The second kernel starts when the first has ended.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for bx in T.thread_binding(64, thread="blockIdx.x"):
        B[bx] = A[bx]
    for bx in T.thread_binding(64, thread="blockIdx.x"):
        C[bx] = B[63 - bx]
