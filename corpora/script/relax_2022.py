# SPDX-License-Identifier: Apache-2.0
# A Relax function of 2022 and one of 0.16, on one tensor function.
@tvm.script.ir_module
class Module:
    @T.prim_func
    def double(A: T.Buffer[(4,), "float32"], B: T.Buffer[4, "float32"]):
        for i in range(4):
            with T.block("B"):
                vi = T.axis.spatial(4, i)
                B[vi] = A[vi] * 2.0

    @R.function
    def main(x: R.Tensor[(4,), "float32"]):
        with R.dataflow():
            gv = R.call_tir(double, (x,), (4,), dtype="float32")
            R.output(gv)
        return gv

    @R.function(private=True)
    def symbolic(x: R.Tensor(("n", 4), dtype="float32"), s: R.Shape(["n"]), c: R.Tensor((), "bool")) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Object):
        n = T.int64()
        R.func_attr({"num_input": 1})
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.double, (x,), out_sinfo=[R.Tensor((n, 4), dtype="float32"), R.Tensor((n + 1,), dtype="float32")], tir_vars=R.shape([n]))
            lv1: R.Tensor((n, 4), dtype="float32") = lv[0]
            lv2 = R.match_cast(lv1, R.Tensor((n, 4), dtype="float32"))
            R.output(lv2)
        if c:
            y = R.add(lv2, R.const(1.0, "float32"))
            z = y
        else:
            z = lv2
        w = R.call_packed("f", z, R.prim_value(3), R.str("s"), R.dtype("float16"), sinfo_args=(R.Object,))
        return (z, w)
