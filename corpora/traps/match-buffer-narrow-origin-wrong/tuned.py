# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((300,), "float32"), C: T.Buffer((100,), "float32")):
    with T.sblock("b"):
        B = T.match_buffer(A[T.uint8(200):T.uint8(255)], (55,), "float32", offset_factor=1)
        for i in T.serial(T.uint8(0), T.uint8(100)):
            C[i] = B[i]
