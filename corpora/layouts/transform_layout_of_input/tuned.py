from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((7, 3, 4), "float32"), B: T.Buffer((7, 10), "float32")):
        # with T.sblock("root"):
        for i, axis1, axis2 in T.grid(7, 3, 4):
            with T.sblock("buffer_A_assumptions"):
                v_i, v_axis1, v_axis2 = T.axis.remap("SSS", [i, axis1, axis2])
                T.reads(A[v_i, v_axis1, v_axis2])
                T.writes()
                T.assume(not (v_axis1 == 2 and 2 <= v_axis2) or A[v_i, v_axis1, v_axis2] == T.float32(0.0))
        for x, y in T.grid(7, 10):
            with T.sblock("B"):
                v, w = T.axis.remap("SS", [x, y])
                T.reads(A[v, w // 4, w % 4])
                T.writes(B[v, w])
                B[v, w] = A[v, w // 4, w % 4] + T.float32(1.0)
