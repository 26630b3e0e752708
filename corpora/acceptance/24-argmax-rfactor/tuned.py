# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((64, 1024), "float32"), I: T.Buffer((64,), "int32")):
    mi = T.alloc_buffer((64,), "int32")
    mv = T.alloc_buffer((64,), "float32")
    ri = T.alloc_buffer((64, 32), "int32")
    rv = T.alloc_buffer((64, 32), "float32")
    for i, k0, k1 in T.grid(64, 32, 32):
        with T.sblock("argmax_rf"):
            vk0, vi, vk1 = T.axis.remap("SSR", [k0, i, k1])
            with T.init():
                ri[vi, vk0] = -1
                rv[vi, vk0] = T.float32(-340282346638528859811704183484516925440.0)
            p_i: T.let[T.int32] = T.Select(rv[vi, vk0] > A[vi, vk0 * 32 + vk1] or rv[vi, vk0] == A[vi, vk0 * 32 + vk1] and ri[vi, vk0] < (vk0 * 32 + vk1), ri[vi, vk0], (vk0 * 32 + vk1))
            p_v: T.let[T.float32] = T.Select(rv[vi, vk0] > A[vi, vk0 * 32 + vk1], rv[vi, vk0], A[vi, vk0 * 32 + vk1])
            ri[vi, vk0] = p_i
            rv[vi, vk0] = p_v
    for i, k0 in T.grid(64, 32):
        with T.sblock("argmax"):
            vi, vk0 = T.axis.remap("SR", [i, k0])
            with T.init():
                mi[vi] = -1
                mv[vi] = T.float32(-340282346638528859811704183484516925440.0)
            m_i: T.let[T.int32] = T.Select(mv[vi] > rv[vi, vk0] or mv[vi] == rv[vi, vk0] and mi[vi] < ri[vi, vk0], mi[vi], ri[vi, vk0])
            m_v: T.let[T.float32] = T.Select(mv[vi] > rv[vi, vk0], mv[vi], rv[vi, vk0])
            mi[vi] = m_i
            mv[vi] = m_v
    for i in range(64):
        with T.sblock("out"):
            vi = T.axis.spatial(64, i)
            I[vi] = mi[vi]
