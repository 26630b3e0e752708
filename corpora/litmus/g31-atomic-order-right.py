# SPDX-License-Identifier: Apache-2.0
# G31 right: order-only
# Against g31-atomic-order-right-serial.py: floating atomics add in an order
# that is not specified, so that the sums have the same terms.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), S: T.Buffer((1,), "float32")):
    for tx in T.thread_binding(64, thread="threadIdx.x"):
        T.evaluate(T.cuda.atomic_add(T.address_of(S[0]), A[tx]))
