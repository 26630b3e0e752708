# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((8,), "float32"), C: T.Buffer((1,), "float32")):
    C[0] = X[0]
    for i in range(8):
        C[0] = T.max(X[i], C[0])
