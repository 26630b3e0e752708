# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1000, 1), "float32"), C: T.Buffer((), "float32")):
    for i, j in T.grid(1000, 1):
        with T.sblock("sum"):
            vi, vj = T.axis.remap("RR", [i, j])
            with T.init():
                C[()] = T.float32(0)
            C[()] = C[()] + A[vi, vj]
