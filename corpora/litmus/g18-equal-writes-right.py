# SPDX-License-Identifier: Apache-2.0
# G18 right: ok
# All store equal bits, and each reader has stored them itself.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), S: T.Buffer((1,), "int32"), C: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        S[0] = A[0] + 7
        C[tx] = S[0]
