# from tvm.script import ir as I
# from tvm.script import relax as R
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, "n"), dtype="float32"), n: T.int64, k: T.int64, y: R.Tensor((k,))) -> R.Tensor((1, n)):
        a: T.int64 = R.f(x, k)
        b: R.Tensor((1, n)) = R.f(y, R.shape([n, k, a]))
        return b
