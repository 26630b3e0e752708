# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((8, 8,), "float32"), C: T.Buffer((8, 8,), "float32")):
    for i, j in T.grid(2, 2):
        with T.sblock("t"):
            vi, vj = T.axis.remap("SS", [i, j])
            a = T.match_buffer(A[vi * 4:vi * 4 + 4, vi * 4:vi * 4 + 4], (4, 4), "float32", strides=("s0", "s1"), offset_factor=1)
            c = T.match_buffer(C[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), "float32", strides=("t0", "t1"), offset_factor=1)
            for x, y in T.grid(4, 4):
                c[x, y] = a[x, y] + a[0, 0]
