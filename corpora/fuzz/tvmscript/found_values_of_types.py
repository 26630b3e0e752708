# from tvm.script import ir as I
# from tvm.script import relax as R
# from tvm.script import tirx as T

@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.vdevice({"kind": "float32x4", "host": {"kind": "c"}}, 1, "local")]})
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), s: R.Shape(ndim=1)) -> R.Object:
        a: R.Object = R.f(x, ty_args=(R.Prim(value=4), R.Prim("int32", 5), R.Tensor(s), R.Tensor(R.shape([4]))))
        b: R.Object = R.f(a, ty_args=(R.Tensor((4,), vdevice=I.vdevice({"kind": "llvm"}, 1, "local")),))
        c = R.const([[1.5, -0.0], [float("inf"), 2]], "float16")
        return (b, c)
