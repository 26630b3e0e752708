# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), C: T.Buffer((1,), "float32")):
    for tx in T.thread_binding(4, thread="threadIdx.x"):
        for k in range(4):
            with T.sblock("r"):
                vk = T.axis.reduce(16, tx * 4 + k)
                with T.init():
                    C[0] = T.float32(0)
                C[0] = T.Select(C[0] > T.float32(100), C[0], C[0] + A[vk])
