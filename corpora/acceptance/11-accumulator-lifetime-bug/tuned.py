# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((1024, 1024), "float32"), B: T.Buffer((1024, 1024), "float32"), C: T.Buffer((1024, 1024), "float32")):
    for i0, j0, k0 in T.grid(32, 32, 32):
        with T.sblock("tile"):
            vi0, vj0, vk0 = T.axis.remap("SSR", [i0, j0, k0])
            acc = T.alloc_buffer((32, 32), "float32")
            if vk0 == 0:
                for i1, j1 in T.grid(32, 32):
                    acc[i1, j1] = T.float32(0)
            for k1, i1, j1 in T.grid(32, 32, 32):
                acc[i1, j1] = acc[i1, j1] + A[vi0 * 32 + i1, vk0 * 32 + k1] * B[vk0 * 32 + k1, vj0 * 32 + j1]
            if vk0 == 31:
                for i1, j1 in T.grid(32, 32):
                    C[vi0 * 32 + i1, vj0 * 32 + j1] = acc[i1, j1]
