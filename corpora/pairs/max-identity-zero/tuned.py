# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2,), "float32"), C: T.Buffer((1,), "float32")):
    C[0] = T.float32(0)
    for i in range(2):
        C[0] = T.max(C[0], A[i])
