# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 8), "float32"), S: T.Buffer((2, 8), "float32")):
    m = T.alloc_buffer((2,), "float32")
    z = T.alloc_buffer((2,), "float32")
    e = T.alloc_buffer((2, 8), "float32")
    for i, k in T.grid(2, 8):
        with T.sblock("max"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                m[vi] = T.float32("-inf")
            m[vi] = T.max(m[vi], A[vi, vk])
    for i, k in T.grid(2, 8):
        with T.sblock("exp"):
            vi, vk = T.axis.remap("SS", [i, k])
            e[vi, vk] = T.exp(A[vi, vk] - m[vi])
    for i, k in T.grid(2, 8):
        with T.sblock("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                z[vi] = T.float32(0)
            z[vi] = z[vi] + e[vi, vk]
    for i, k in T.grid(2, 8):
        with T.sblock("div"):
            vi, vk = T.axis.remap("SS", [i, k])
            S[vi, vk] = e[vi, vk] / z[vi]
