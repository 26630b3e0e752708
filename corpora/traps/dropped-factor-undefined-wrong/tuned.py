# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((10,), "float32"), B: T.Buffer((16,), "float32"), C: T.Buffer((1,), "float32")):
    Q = T.alloc_buffer((16,), "float32")
    for k in range(16):
        Q[k] = T.if_then_else(k < 10, A[k], T.float32(0))
    C[0] = T.float32(0)
    for k in range(16):
        C[0] = C[0] + Q[k] * T.Cast("float32", T.Cast("int8", B[k]))
