# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
    for i in range(8):
        T.evaluate(T.cuda.atomic_add(T.tvm_access_ptr(T.type_annotation("int32"), C.data, i + 1, 1, 3), A[i] - A[i]))
