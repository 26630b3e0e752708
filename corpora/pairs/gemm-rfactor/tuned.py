# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 10,), "float32"), B: T.Buffer((10, 7,), "float32"), C: T.Buffer((6, 7,), "float32")):
    R = T.alloc_buffer((2, 6, 7), "float32")
    for r, i, j, k in T.grid(2, 6, 7, 5):
        with T.sblock("rf"):
            vr, vi, vj, vk = T.axis.remap("SSSR", [r, i, j, k])
            with T.init():
                R[vr, vi, vj] = T.float32(0)
            R[vr, vi, vj] = R[vr, vi, vj] + A[vi, vk * 2 + vr] * B[vk * 2 + vr, vj]
    for i, j, r in T.grid(6, 7, 2):
        with T.sblock("c"):
            vi, vj, vr = T.axis.remap("SSR", [i, j, r])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + R[vr, vi, vj]
