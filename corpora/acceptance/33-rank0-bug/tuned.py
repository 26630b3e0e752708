# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1000, 1), "float32"), C: T.Buffer((), "float32")):
    for i0 in range(40):
        C[()] = T.float32(0)
        for i1 in range(25):
            C[()] = C[()] + A[i0 * 25 + i1, 0]
