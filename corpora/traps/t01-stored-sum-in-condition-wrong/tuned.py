# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((16,), "int32"), C: T.Buffer((16,), "int32")):
    D = T.alloc_buffer((16,), "int32")
    for i in range(16):
        D[i] = X[i] * 65537
    for i in range(16):
        C[i] = T.Select(D[i] == D[i], X[i], 0)
