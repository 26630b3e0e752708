@I.ir_module
class M:
    @T.prim_func
    def f(n: T.int32):
        pass
    @T.prim_func
    def f(n: T.int32):
        pass
