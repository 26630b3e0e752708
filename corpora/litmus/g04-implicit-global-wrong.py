# SPDX-License-Identifier: Apache-2.0
# G4 wrong: race
# For global memory no barrier is ever supplied.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        B[tx] = A[tx]
        C[tx] = B[63 - tx]
