# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((32, 9), "float32"), C: T.Buffer((32,), "float32")):
    for i, k in T.grid(32, 9):
        with T.sblock("sum"):
            v, vk = T.axis.remap("SR", [i, k])
            T.where(k < i % 8 + 1)
            with T.init():
                C[v] = T.float32(0)
            C[v] = C[v] + A[v, vk]
