# SPDX-License-Identifier: Apache-2.0
# LLVM 22 wants the bytes as they are; TVM passes words of four, as its
# tensor intrinsic dot_16x4_vnni does.
# expect tvm-llvm error does not match function signature
# expect tvm-llvm-native error does not match function signature
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "uint8"), B: T.Buffer((64,), "int8"), C: T.Buffer((16,), "int32")):
        with T.sblock("C"):
            C[T.Ramp(0, 1, 16)] = T.call_llvm_pure_intrin("int32x16", "llvm.x86.avx512.vpdpbusd.512", C[T.Ramp(0, 1, 16)], T.Broadcast(T.reinterpret("int32", A[T.Ramp(0, 1, 4)]), 16), T.reinterpret("int32x16", B[T.Ramp(0, 1, 64)]))
