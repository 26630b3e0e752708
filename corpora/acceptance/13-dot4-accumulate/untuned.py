# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((512, 1024), "uint8"), W: T.Buffer((32, 256, 16, 4), "int8"), C: T.Buffer((512, 512), "int32")):
    for i, j, k in T.grid(512, 512, 1024):
        with T.sblock("c"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = 0
            C[vi, vj] = C[vi, vj] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", W[vj // 16, vk // 4, vj % 16, vk % 4])
