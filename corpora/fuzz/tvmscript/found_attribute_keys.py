# from tvm.script import ir as I
# from tvm.script import relax as R
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), z: R.Object) -> R.Object:
        a: R.Object = R.f(x, attrs={"": "v"})
        b: R.Object = R.f(x, attrs={"a b": 1, "class": 2.5, "é": None, "ty_args": True}, ty_args=(R.Object,))
        c: R.Object = R.f(x, attrs=I.shape([1, 2]))
        d: R.Object = R.f(x, attrs=[1, "s"])
        e: R.Object = R.f(x, attrs=I.object("my.Attrs", {"a": 1, "sinfo_args": "v"}))
        f: R.Object = R.nn.softmax(x, axis=-1)
        g: R.Object = R.nn.softmax(x, attrs={"axis": -1})
        h: R.Object = R.astype(x, dtype="float16")
        i: R.Object = R.nn.softmax(x, attrs=I.object("my.Attrs", {"axis": -1}))
        j: R.Object = R.call_packed("f", x, attrs={"attrs": 1})
        k: R.Object = z(a, b, c, attrs={"k": R.const([[1, 2]], "int8")}, ty_args=(R.Object,))
        l: R.Object = R.f(z, dtype=T.DataType("int8"), t=T.int32, none=I.Type())
        return l
