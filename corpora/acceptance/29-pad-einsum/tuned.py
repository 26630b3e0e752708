# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((127, 127), "float32"), B: T.Buffer((127, 127), "float32"), C: T.Buffer((127, 127), "float32")):
    Ap = T.alloc_buffer((128, 128), "float32")
    Bp = T.alloc_buffer((128, 128), "float32")
    Cp = T.alloc_buffer((128, 128), "float32")
    for i, j in T.grid(128, 128):
        Ap[i, j] = T.if_then_else(i < 127 and j < 127, A[i, j], T.float32(0))
    for i, j in T.grid(128, 128):
        Bp[i, j] = T.if_then_else(i < 127 and j < 127, B[i, j], T.float32(0))
    for i, j, k in T.grid(128, 128, 128):
        with T.sblock("c"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                Cp[vi, vj] = T.float32(0)
            Cp[vi, vj] = Cp[vi, vj] + Ap[vi, vk] * Bp[vk, vj]
    for i, j in T.grid(127, 127):
        C[i, j] = Cp[i, j]
