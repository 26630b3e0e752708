# SPDX-License-Identifier: Apache-2.0
@T.prim_func
def main(A: T.Buffer((5,), "float32"), B: T.Buffer((5,), "float32"), C: T.Buffer((1, 5), "float32")):
    V = T.decl_buffer((1, 5), "float32", data=C.data, strides=(1, 1))
    for i in range(5):
        V[0, i] = V[i, 0] + A[i] * B[i]
