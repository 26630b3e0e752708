# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((300,), "float32"), C: T.Buffer((100,), "float32")):
    for i in range(100):
        C[i] = A[(200 + i) % 256]
