# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
    for i in range(64):
        C[i] = T.Cast("float32", T.nextafter(T.Cast("float16", A[i]), T.float16(2)))
