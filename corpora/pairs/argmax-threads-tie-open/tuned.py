# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(K: T.Buffer((32,), "float32"), P: T.Buffer((32,), "float32"), M: T.Buffer((1,), "float32"), Q: T.Buffer((1,), "float32")):
    for ko in range(4):
        for tx in T.thread_binding(8, thread="threadIdx.x"):
            with T.sblock("s"):
                vk = T.axis.reduce(32, tx * 4 + ko)
                with T.init():
                    M[0] = T.float32(-3.4028234663852886e+38)
                    Q[0] = T.float32(0)
                q: T.let[T.float32] = T.Select(M[0] >= K[vk], Q[0], P[vk])
                m: T.let[T.float32] = T.Select(M[0] >= K[vk], M[0], K[vk])
                Q[0] = q
                M[0] = m
