# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(N: T.Buffer((1,), "int32"), C: T.Buffer((8,), "float32")):
    for i in range(8):
        C[i] = T.float32(0)
    m: T.let[T.int32] = N[0]
    N[0] = 4
    for tx in T.thread_binding(m, thread="threadIdx.x"):
        if tx < 8:
            C[tx] = T.float32(1)
