# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4096,), "float32"), I: T.Buffer((4096,), "int32"), O: T.Buffer((1000,), "float32")):
    for i in T.parallel(4096):
        O[I[i]] = A[i]
