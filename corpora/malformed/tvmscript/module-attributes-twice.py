@I.ir_module
class Module:
    I.module_attrs({"a": 1})
    I.module_attrs({"b": 1})
    @T.prim_func
    def main(n: T.int32):
        T.evaluate(n)
