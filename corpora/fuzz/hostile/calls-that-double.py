# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f1(A.data, B.data)
        Module.f1(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f1(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f2(A.data, B.data)
        Module.f2(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f2(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f3(A.data, B.data)
        Module.f3(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f3(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f4(A.data, B.data)
        Module.f4(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f4(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f5(A.data, B.data)
        Module.f5(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f5(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f6(A.data, B.data)
        Module.f6(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f6(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f7(A.data, B.data)
        Module.f7(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f7(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f8(A.data, B.data)
        Module.f8(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f8(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f9(A.data, B.data)
        Module.f9(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f9(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f10(A.data, B.data)
        Module.f10(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f10(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f11(A.data, B.data)
        Module.f11(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f11(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f12(A.data, B.data)
        Module.f12(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f12(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f13(A.data, B.data)
        Module.f13(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f13(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f14(A.data, B.data)
        Module.f14(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f14(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f15(A.data, B.data)
        Module.f15(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f15(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f16(A.data, B.data)
        Module.f16(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f16(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f17(A.data, B.data)
        Module.f17(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f17(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f18(A.data, B.data)
        Module.f18(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f18(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f19(A.data, B.data)
        Module.f19(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f19(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f20(A.data, B.data)
        Module.f20(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f20(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f21(A.data, B.data)
        Module.f21(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f21(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f22(A.data, B.data)
        Module.f22(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f22(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f23(A.data, B.data)
        Module.f23(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f23(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f24(A.data, B.data)
        Module.f24(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f24(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f25(A.data, B.data)
        Module.f25(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f25(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f26(A.data, B.data)
        Module.f26(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f26(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f27(A.data, B.data)
        Module.f27(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f27(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f28(A.data, B.data)
        Module.f28(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f28(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f29(A.data, B.data)
        Module.f29(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f29(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f30(A.data, B.data)
        Module.f30(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f30(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f31(A.data, B.data)
        Module.f31(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f31(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f32(A.data, B.data)
        Module.f32(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f32(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f33(A.data, B.data)
        Module.f33(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f33(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f34(A.data, B.data)
        Module.f34(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f34(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f35(A.data, B.data)
        Module.f35(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f35(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f36(A.data, B.data)
        Module.f36(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f36(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f37(A.data, B.data)
        Module.f37(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f37(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f38(A.data, B.data)
        Module.f38(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f38(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f39(A.data, B.data)
        Module.f39(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f39(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f40(A.data, B.data)
        Module.f40(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f40(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f41(A.data, B.data)
        Module.f41(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f41(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f42(A.data, B.data)
        Module.f42(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f42(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f43(A.data, B.data)
        Module.f43(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f43(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f44(A.data, B.data)
        Module.f44(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f44(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f45(A.data, B.data)
        Module.f45(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f45(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f46(A.data, B.data)
        Module.f46(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f46(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f47(A.data, B.data)
        Module.f47(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f47(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f48(A.data, B.data)
        Module.f48(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f48(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f49(A.data, B.data)
        Module.f49(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f49(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f50(A.data, B.data)
        Module.f50(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f50(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f51(A.data, B.data)
        Module.f51(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f51(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f52(A.data, B.data)
        Module.f52(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f52(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f53(A.data, B.data)
        Module.f53(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f53(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f54(A.data, B.data)
        Module.f54(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f54(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f55(A.data, B.data)
        Module.f55(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f55(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f56(A.data, B.data)
        Module.f56(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f56(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f57(A.data, B.data)
        Module.f57(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f57(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f58(A.data, B.data)
        Module.f58(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f58(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        Module.f59(A.data, B.data)
        Module.f59(A.data, B.data)
        B[0] = A[0] + 1
    @T.prim_func
    def f59(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
        B[0] = A[0] + 1
