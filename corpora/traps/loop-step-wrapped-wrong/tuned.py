# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(n: T.uint8, A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    for i in T.serial(T.uint8(0), n, step=T.uint8(10)):
        C[i // T.uint8(10)] = A[i // T.uint8(10)]
