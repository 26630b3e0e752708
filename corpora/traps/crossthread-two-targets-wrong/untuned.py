# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "int32"), C: T.Buffer((1,), "int32"), D: T.Buffer((1,), "int32")):
    S = T.alloc_buffer((1,), "int32", scope="local")
    for tx in T.thread_binding(4, thread="threadIdx.x"):
        S[0] = T.int32(-2147483648)
        for k in range(4):
            S[0] = T.max(S[0], A[tx * 4 + k])
        with T.sblock("r"):
            vk = T.axis.reduce(4, tx)
            with T.init():
                C[0] = T.int32(-2147483648)
                D[0] = T.int32(2147483647)
            C[0] = T.max(C[0], S[0])
            D[0] = T.min(D[0], S[0])
