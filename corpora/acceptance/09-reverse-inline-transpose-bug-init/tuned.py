# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(S: T.Buffer((6, 1, 128), "float32"), R: T.Buffer((6, 128, 64), "float32"), O: T.Buffer((1, 1, 6, 64), "float32")):
    P = T.alloc_buffer((6, 1, 64), "float32")
    for b, j, k in T.grid(6, 64, 128):
        with T.sblock("bmm"):
            v0, v1, vk = T.axis.remap("SSR", [b, j, k])
            with T.init():
                P[v0, 0, v1] = T.float32(0)
            O[0, 0, v0, v1] = O[0, 0, v0, v1] + S[v0, 0, vk] * R[v0, vk, v1]
