# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        if i < 3:
            C[i] = A[i]
        else:
            if i >= 5:
                C[i] = A[i]
            else:
                C[i] = T.float32(0)
