# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((4,), "float32")):
    for k, r in T.grid(8, 2):
        C[k // 2] = C[k // 2] + A[k * 2 + r]
