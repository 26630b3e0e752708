# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 16), "int32"), C: T.Buffer((2, 16), "int32")):
    for c in T.thread_binding(2, thread="cthread"):
        for tx in T.thread_binding(16, thread="threadIdx.x"):
            C[c, tx] = T.tvm_warp_shuffle(T.uint32(65535), A[c, tx], (tx + 1) % 16, 16, 32)
