# from tvm.script import ir as I
# from tvm.script import relax as R
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Object:
        a: R.Object = R.Op("")(x, a="v")
        b: R.Object = R.Op("foo")(x, R.str("s"), b=[1, 2.5], ty_args=(R.Tensor((4,), dtype="float32"), R.Object))
        c: R.Object = R.Op("relax.a b")(a)
        d: R.Object = R.Op("x\"y")(b, c)
        e: R.Object = R.Op("relax.vm.x-y")(R.Op("é"), d)
        f: R.Object = R.Op("relax.tuple")(x, e)
        g: R.Object = R.Op("relax.Tensor")(x, dtype="float32")
        h: R.Object = R.Op("relax.prim_value")(x, f, value=1)
        i: R.Object = R.Op("relax.call_tir")(x, R.ExternFunc("f"), g)
        j: R.Object = R.Op("relax.call_packed")(R.ExternFunc("f"), h)
        k: R.Object = R.Op("relax.class")(i)
        l: R.Object = R.Op("tir.foo")(j)
        m: R.Object = R.unknown_op(R.ExternFunc("f"), R.str("s"), k)
        n: R.Object = R.call_pure_packed("f", l, m, ty_args=(R.Object,))
        return n
