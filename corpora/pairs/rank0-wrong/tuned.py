# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((), "float32"), C: T.Buffer((), "float32")):
    C[()] = A[()] * T.float32(3)
