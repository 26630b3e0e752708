# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((512,), "float32"), B: T.Buffer((512,), "float32")):
    for i in range(512):
        B[i] = A[T.floormod(i, 256)]
