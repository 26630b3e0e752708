# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((4, 6), "float16"), B: T.Buffer((4,), "float16")):
        T.func_attr({"tirx.noalias": True})
        for i, k in T.grid(4, 8):
            with T.sblock("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.where(k < 6)
                with T.init():
                    B[vi] = T.float16(0)
                B[vi] = B[vi] + A[vi, vk]
