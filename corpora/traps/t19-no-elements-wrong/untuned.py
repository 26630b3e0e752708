# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((0,), "float32"), C: T.Buffer((0,), "float32")):
    for i in range(8):
        if i > 8:
            C[0] = A[i]
