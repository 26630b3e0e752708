# expect: ir.index
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4,), "int32")):
        A[0] = T.Shuffle([T.Broadcast(A[1], 2)], [2])
