# SPDX-License-Identifier: Apache-2.0
# G30 wrong: race
# An atomic is no barrier: the others may still add.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), S: T.Buffer((1,), "int32"), C: T.Buffer((64,), "int32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        T.evaluate(T.cuda.atomic_add(T.address_of(S[0]), A[tx]))
        C[tx] = S[0]
        T.evaluate(T.tvm_storage_sync("shared"))
