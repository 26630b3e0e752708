# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32,), "float32"), C: T.Buffer((32,), "uint32")):
    for tx in T.thread_binding(32, thread="threadIdx.x"):
        if tx // 16 == 0:
            C[tx] = T.tvm_warp_activemask()
        else:
            C[tx] = T.uint32(0)
