# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 16), "float32"), C: T.Buffer((2,), "float32"), I: T.Buffer((2,), "int32")):
    for i in range(2):
        for k in range(16):
            with T.sblock("r"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    I[vi] = -1
                    C[vi] = T.float32(-3.4028234663852886e38)
                x: T.let[T.int32] = T.Select(C[vi] > A[vi, vk] or (C[vi] == A[vi, vk] and I[vi] < vk), I[vi], vk)
                y: T.let[T.float32] = T.Select(C[vi] > A[vi, vk], C[vi], A[vi, vk])
                I[vi] = x
                C[vi] = y
