# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(C: T.Buffer((9,), "int32")):
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        T.evaluate(T.cuda.atomic_add(T.address_of(C[tx]), C[tx + 1]))
