# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 16), "float32"), C: T.Buffer((2, 16), "float32")):
    for ty in T.thread_binding(2, thread="threadIdx.y"):
        for tx in T.thread_binding(16, thread="threadIdx.x"):
            C[ty, tx] = T.call_intrin("float32", "tirx.cuda.__shfl_sync", T.uint32(4294967295), A[ty, tx], 0, 32)
