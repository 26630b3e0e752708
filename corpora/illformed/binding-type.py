# expect: ir.type
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32"), n: T.int64):
        with T.sblock("B"):
            v = T.axis.spatial(16, n)
            T.reads(A[v])
            T.writes(B[v])
            B[v] = A[v]
