# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((10,), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((1,), "float32")):
    C[0] = T.float32(0)
    for k in range(10):
        C[0] = C[0] + A[k] * T.Cast("float32", T.Cast("int8", B[k]))
