# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((100000,), "float32"), C: T.Buffer((100000,), "float32")):
    for i in range(100000):
        C[i] = A[T.Select(i == 70001, 0, i)]
