# from tvm.script import ir as I
# from tvm.script import relax as R
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Object:
        a: R.Object = R.f(x, a="\xff\x80\u20ac\U0001f600", b="\udcff", c="é\t\x01")
        b: R.Object = R.call_packed("\udc80", a)
        return b
