# from tvm.script import ir as I
# from tvm.script import relax as R
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("m", 4), dtype="float32"), z: R.Callable((R.Tensor(("n",)),), R.Tensor(("n",)), True), w: R.Callable((R.Shape(["q", "m"]),), R.Callable(ret=R.Tensor(("q",)), purity=True), False), m: T.int64) -> R.Callable((R.Tensor(("k",)),), R.Tuple(R.Tensor(("k", 2)))):
        y: R.Callable = R.f(z, w, m)
        return y
