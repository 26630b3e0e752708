# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32")):
    A[T.Ramp(1, 1, 4)] = A[T.Ramp(0, 1, 4)]
