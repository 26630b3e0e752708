# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    for i0, j0 in T.grid(2, 2):
        with T.sblock("tile"):
            vi0, vj0 = T.axis.remap("SS", [i0, j0])
            acc = T.alloc_buffer((4, 4), "float32")
            for k0 in range(2):
                if k0 == 0:
                    for i1, j1 in T.grid(4, 4):
                        acc[i1, j1] = T.float32(0)
                for k1, i1, j1 in T.grid(4, 4, 4):
                    acc[i1, j1] = acc[i1, j1] + A[vi0 * 4 + i1, k0 * 4 + k1] * B[k0 * 4 + k1, vj0 * 4 + j1]
                if k0 == 1:
                    for i1, j1 in T.grid(4, 4):
                        C[vi0 * 4 + i1, vj0 * 4 + j1] = acc[i1, j1]
