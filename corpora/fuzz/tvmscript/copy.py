# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("copy"):
                v = T.axis.spatial(8, i)
                T.reads(A[v])
                T.writes(B[v])
                B[v] = A[v] * T.float32(2.5) - T.float32(1e-30)
