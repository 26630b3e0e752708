# SPDX-License-Identifier: Apache-2.0
# G31 wrong-serial: ok
# The serial sum of g31-atomic-order-wrong.py.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), S: T.Buffer((1,), "float32")):
    for bx in T.thread_binding(1, thread="blockIdx.x"):
        for k in range(64):
            S[0] = S[0] + A[k]
