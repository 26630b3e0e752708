from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((7, 10), "int32"), B: T.Buffer((7, 10), "int32")):
        # with T.sblock("root"):
        S = T.sblock_alloc_buffer((1, 4, 8, 3), "int32")
        for axis0, axis1, axis2, axis3 in T.grid(1, 4, 8, 3):
            with T.sblock("S"):
                v_axis0, v_axis1, v_axis2, v_axis3 = T.axis.remap("SSSS", [axis0, axis1, axis2, axis3])
                T.reads(A[v_axis0 * 8 + v_axis2, v_axis1 * 3 + v_axis3])
                T.writes(S[v_axis0, v_axis1, v_axis2, v_axis3])
                S[v_axis0, v_axis1, v_axis2, v_axis3] = T.if_then_else(v_axis2 == 7 or v_axis1 == 3 and 1 <= v_axis3, 5, A[v_axis0 * 8 + v_axis2, v_axis1 * 3 + v_axis3] * 2)
        for x, y in T.grid(7, 10):
            with T.sblock("B"):
                v, w = T.axis.remap("SS", [x, y])
                T.reads(S[v // 8, w // 3, v % 8, w % 3])
                T.writes(B[v, w])
                B[v, w] = S[v // 8, w // 3, v % 8, w % 3] + 1
