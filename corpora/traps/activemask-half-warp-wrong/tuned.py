# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(C: T.Buffer((16,), "int32")):
    for tx in T.thread_binding(16, thread="threadIdx.x"):
        C[tx] = T.Cast("int32", T.tvm_warp_activemask())
