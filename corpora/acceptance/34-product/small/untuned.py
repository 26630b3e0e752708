# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 64), "float32"), C: T.Buffer((8,), "float32")):
    for i, k in T.grid(8, 64):
        with T.sblock("prod"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = T.float32(1)
            C[vi] = C[vi] * A[vi, vk]
