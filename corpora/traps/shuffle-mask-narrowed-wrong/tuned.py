# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        C[tx] = T.tvm_warp_shuffle(T.Cast("uint32", T.Cast("uint16", -1)), A[tx], tx, 32, 32)
