# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(C: T.Buffer((32,), "uint32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        C[tx] = T.uint32(0)
        if tx < 16:
            C[tx] = T.tvm_warp_activemask()
