# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "float32"), x: T.float32) -> T.float32:
    if A[0] > T.float32(0):
        return x * T.float32(2)
    return x
