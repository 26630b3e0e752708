# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 16), "int8"), B: T.Buffer((128,), "int8"), C: T.Buffer((4, 8), "int32")):
    for i, j in T.grid(4, 2):
        C[i, T.Ramp(j * 4, 1, 4)] = T.Broadcast(0, 4)
        for k in range(4):
            C[i, T.Ramp(j * 4, 1, 4)] = T.call_llvm_pure_intrin("int32x4", "llvm.aarch64.neon.sdot.v4i32.v16i8", C[i, T.Ramp(j * 4, 1, 4)], T.reinterpret("int8x16", T.Broadcast(T.reinterpret("int32", A[i, T.Ramp(k * 4, 1, 4)]), 4)), B[T.Ramp(j * 64 + k * 16, 1, 16)])
