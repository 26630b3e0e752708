# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((), "float32")):
    C[()] = T.float32(0)
    for k in range(8):
        C[()] = C[()] + A[k]
