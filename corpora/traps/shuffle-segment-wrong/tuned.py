# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "float32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        C[tx] = T.call_intrin("float32", "tirx.cuda.__shfl_xor_sync", T.uint32(4294967295), A[tx], 16, 8)
