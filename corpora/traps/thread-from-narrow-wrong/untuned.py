# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((512,), "float32"), C: T.Buffer((512,), "float32")):
    for i in range(100):
        C[(i + 200) % 256] = A[(i + 200) % 256]
