# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "uint64"), C: T.Buffer((16,), "int32")):
    for i in range(16):
        C[i] = T.Cast("int32", T.shift_right(A[i], T.uint64(63)))
