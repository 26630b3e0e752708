# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((101, 101), "float32"), C: T.Buffer((101,), "float32")):
    B = T.alloc_buffer((101,), "float32")
    for xo in range(2):
        for xi in range(100):
            if xo * 100 + xi < 101:
                B[xo * 100 + xi] = T.float32(0)
            for k in range(101):
                if xo * 100 + xi < 101:
                    B[xo * 100 + xi] = B[xo * 100 + xi] + A[xo * 100 + xi, k]
            if xo * 100 + xi < 101:
                C[xo * 100 + xi] = B[xo * 100 + xi]
