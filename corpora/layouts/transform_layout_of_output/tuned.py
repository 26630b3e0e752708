from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((10, 7), "float32"), B: T.Buffer((7, 3, 4), "float32")):
        # with T.sblock("root"):
        for i, axis1, axis2 in T.grid(7, 3, 4):
            with T.sblock("B"):
                v_i, v_axis1, v_axis2 = T.axis.remap("SSS", [i, axis1, axis2])
                T.reads(A[v_axis1 * 4 + v_axis2, v_i])
                T.writes(B[v_i, v_axis1, v_axis2])
                B[v_i, v_axis1, v_axis2] = T.if_then_else(v_axis1 == 2 and 2 <= v_axis2, T.float32(0.0), A[v_axis1 * 4 + v_axis2, v_i] + T.float32(1.0))
