# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "int32"), C: T.Buffer((1,), "int32")):
    for tx in T.thread_binding(16, thread="threadIdx.x"):
        for r in range(2):
            with T.sblock("r"):
                vk = T.axis.reduce(16, tx)
                with T.init():
                    C[0] = 0
                C[0] = C[0] + A[vk]
