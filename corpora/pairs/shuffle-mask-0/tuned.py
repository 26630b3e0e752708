# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((1,), "float32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        R = T.alloc_buffer((1,), "float32", scope="local")
        R[0] = A[tx]
        for k in range(5):
            R[0] = R[0] + T.tvm_warp_shuffle_down(T.uint32(0), R[0], T.shift_right(16, k), 32, 32)
        if tx == 0:
            C[0] = R[0]
