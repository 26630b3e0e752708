# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((8,), "int32"), A: T.Buffer((16,), "float32"), B: T.Buffer((8,), "float32")):
    for i in T.serial(8):
        B[i] = 1.0
        p: T.handle("float32") = T.address_of(A[5 // X[i]])
        T.evaluate(0)
