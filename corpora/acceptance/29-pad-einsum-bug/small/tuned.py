# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((7, 7), "float32"), B: T.Buffer((7, 7), "float32"), C: T.Buffer((7, 7), "float32")):
    Ap = T.alloc_buffer((8, 8), "float32")
    Bp = T.alloc_buffer((8, 8), "float32")
    Cp = T.alloc_buffer((8, 8), "float32")
    for i, j in T.grid(8, 8):
        Ap[i, j] = T.if_then_else(i < 7 and j < 7, A[i, j], T.float32(1))
    for i, j in T.grid(8, 8):
        Bp[i, j] = T.if_then_else(i < 7 and j < 7, B[i, j], T.float32(1))
    for i, j, k in T.grid(8, 8, 8):
        with T.sblock("c"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                Cp[vi, vj] = T.float32(0)
            Cp[vi, vj] = Cp[vi, vj] + Ap[vi, vk] * Bp[vk, vj]
    for i, j in T.grid(7, 7):
        C[i, j] = Cp[i, j]
