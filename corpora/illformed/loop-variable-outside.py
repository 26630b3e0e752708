# expect: ir.undefined-variable
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        n = T.int32()
        for i in range(16):
            B[i] = A[i]
        B[n] = A[0]
