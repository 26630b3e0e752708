# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), C: T.Buffer((1,), "int32")):
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        if tx == 0:
            C[0] = 0
        T.evaluate(T.cuda.atomic_add(T.address_of(C[0]), A[tx]))
