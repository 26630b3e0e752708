# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((1,), "float32")):
    C[0] = T.float32(0)
    for k in range(4):
        C[0] = T.max(C[0], A[k])
    for k in range(4):
        C[0] = T.max(A[k + 4], C[0])
