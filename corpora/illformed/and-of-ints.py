# expect: script.type
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(x: T.int32, y: T.int32):
        T.evaluate(T.And(x, y))
