# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def add(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("add"):
                v = T.axis.spatial(4, i)
                C[v] = A[v] + B[v]

    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        cls = Module
        with R.dataflow():
            lv = R.call_tir(cls.add, (x, y), out_ty=R.Tensor((4,), dtype="float32"))
            gv = R.call_tir(cls.add, (lv, y), out_ty=R.Tensor((4,), dtype="float32"))
            R.output(gv)
        return gv
