# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((20,), "float32"), C: T.Buffer((16,), "float32")):
    B = T.alloc_buffer((4,), "float32")
    for o in range(8):
        for r in range(4):
            if o < 1 or 2 <= r:
                B[(o * 2 + r) % 4] = T.float32(0)
                for a in range(3):
                    B[(o * 2 + r) % 4] = B[(o * 2 + r) % 4] + A[o * 2 + r + a]
        for i in range(2):
            C[o * 2 + i] = T.float32(0)
            for c in range(3):
                C[o * 2 + i] = C[o * 2 + i] + B[(o * 2 + i + c) % 4]
