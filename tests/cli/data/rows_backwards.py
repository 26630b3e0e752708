# SPDX-License-Identifier: Apache-2.0
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((96, 64), "float32"), B: T.Buffer((64, 48), "float32"), C: T.Buffer((96, 48), "float32")):
    for i, j in T.grid(96, 48):
        C[i, j] = T.float32(0)
        for k in range(64):
            C[i, j] = C[i, j] + A[i, 63 - k] * B[63 - k, j]
