@I.ir_module
class M:
    @T.prim_func
    def f(n: T.int32):
        pass
@I.ir_module
class N:
    pass
