# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    buf = T.alloc_buffer((64,), "uint8")
    F = T.decl_buffer((32,), "float32", data=buf.data)
    for i in range(32):
        F[i] = A[i]
    for i in range(32):
        C[i] = F[i]
