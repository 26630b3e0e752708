# SPDX-License-Identifier: Apache-2.0
# G20 wrong: undefined
# The source lane takes no part: its value is undefined.
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        if tx < 16:
            C[tx] = T.call_intrin("float32", "tirx.cuda.__shfl_sync", T.uint32(0xffff), A[tx], 20, 32)
