# SPDX-License-Identifier: Apache-2.0
# G31 wrong: different
# Against g31-atomic-order-wrong-serial.py: one thread's term is missing, in
# any order.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), S: T.Buffer((1,), "float32")):
    for tx in T.thread_binding(63, thread="threadIdx.x"):
        T.evaluate(T.cuda.atomic_add(T.address_of(S[0]), A[tx]))
