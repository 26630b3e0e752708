# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((512, 1024), "uint8"), W: T.Buffer((32, 256, 16, 4), "int8"), C: T.Buffer((512, 512), "int32")):
    for i, j0 in T.grid(512, 32):
        for lane in range(16):
            C[i, j0 * 16 + lane] = 0
        for k0 in range(256):
            for lane in range(16):
                C[i, j0 * 16 + lane] = C[i, j0 * 16 + lane] + (T.Cast("int32", A[i, k0 * 4 + 0]) * T.Cast("int32", W[j0, k0, lane, 0]) + T.Cast("int32", A[i, k0 * 4 + 1]) * T.Cast("int32", W[j0, k0, lane, 1]) + T.Cast("int32", A[i, k0 * 4 + 2]) * T.Cast("int32", W[j0, k0, lane, 2]) + T.Cast("int32", A[i, k0 * 4 + 3]) * T.Cast("int32", W[j0, k0, lane, 3]))
