# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 32), "uint8"), B: T.Buffer((512,), "int8"), C: T.Buffer((4, 16), "int32")):
    for i in range(4):
        C[i, T.Ramp(0, 1, 16)] = T.Broadcast(0, 16)
        for k in range(8):
            C[i, T.Ramp(0, 1, 16)] = T.call_llvm_pure_intrin("int32x16", "llvm.x86.avx512.vpdpbusd.512", C[i, T.Ramp(0, 1, 16)], T.Broadcast(T.reinterpret("int32", A[i, T.Ramp(k * 4 + 3, -1, 4)]), 16), T.reinterpret("int32x16", B[T.Ramp(k * 64, 1, 64)]))
