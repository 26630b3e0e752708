# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 1024), "float32"), I: T.Buffer((64,), "int32")):
    mi = T.alloc_buffer((64,), "int32")
    mv = T.alloc_buffer((64,), "float32")
    for i, k in T.grid(64, 1024):
        with T.sblock("argmax"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                mi[vi] = -1
                mv[vi] = T.float32(-340282346638528859811704183484516925440.0)
            m_i: T.let[T.int32] = T.Select(mv[vi] > A[vi, vk] or mv[vi] == A[vi, vk] and mi[vi] < vk, mi[vi], vk)
            m_v: T.let[T.float32] = T.Select(mv[vi] > A[vi, vk], mv[vi], A[vi, vk])
            mi[vi] = m_i
            mv[vi] = m_v
    for i in range(64):
        with T.sblock("out"):
            vi = T.axis.spatial(64, i)
            I[vi] = mi[vi]
