# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), C: T.Buffer((1,), "float32")):
    for bx in T.thread_binding(8, thread="blockIdx.x"):
        for k in range(7):
            T.evaluate(T.cuda.atomic_add(T.address_of(C[0]), A[bx * 8 + k]))
