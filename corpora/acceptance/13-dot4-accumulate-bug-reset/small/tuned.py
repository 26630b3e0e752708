# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((2, 8), "uint8"), W: T.Buffer((1, 2, 16, 4), "int8"), C: T.Buffer((2, 16), "int32")):
    for i, j0 in T.grid(2, 1):
        for lane in range(16):
            C[i, j0 * 16 + lane] = 0
        for k0 in range(2):
            for lane in range(16):
                C[i, j0 * 16 + lane] = (T.Cast("int32", A[i, k0 * 4 + 0]) * T.Cast("int32", W[j0, k0, lane, 0]) + T.Cast("int32", A[i, k0 * 4 + 1]) * T.Cast("int32", W[j0, k0, lane, 1]) + T.Cast("int32", A[i, k0 * 4 + 2]) * T.Cast("int32", W[j0, k0, lane, 2]) + T.Cast("int32", A[i, k0 * 4 + 3]) * T.Cast("int32", W[j0, k0, lane, 3]))
