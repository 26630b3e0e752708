# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), C: T.Buffer((4,), "int8")):
    C[0:4] = T.Shuffle([T.reinterpret("int8x8", T.reinterpret("int64", T.Cast("int8x8", A[0:8])))], [0, 1, 2, 3])
