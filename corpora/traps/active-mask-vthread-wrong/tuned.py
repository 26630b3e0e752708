# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(C: T.Buffer((2, 16), "uint32")):
    for vx in T.thread_binding(2, thread="vthread.x"):
        for tx in T.thread_binding(16, thread="threadIdx.x"):
            C[vx, tx] = T.tvm_warp_activemask()
