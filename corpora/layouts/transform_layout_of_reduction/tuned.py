from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((7, 10, 6), "float32"), B: T.Buffer((7, 10), "float32")):
        # with T.sblock("root"):
        S = T.sblock_alloc_buffer((3, 2, 4, 4))
        for axis0, axis1, axis2, axis3, k in T.grid(3, 2, 4, 4, 6):
            with T.sblock("S"):
                v_axis0, v_axis1, v_axis2, v_axis3, vk = T.axis.remap("SSSSR", [axis0, axis1, axis2, axis3, k])
                T.reads(A[v_axis1 * 4 + v_axis2, v_axis0 * 4 + v_axis3, vk])
                T.writes(S[v_axis0, v_axis1, v_axis2, v_axis3])
                with T.init():
                    S[v_axis0, v_axis1, v_axis2, v_axis3] = T.if_then_else(v_axis0 == 2 and 2 <= v_axis3 or v_axis1 == 1 and v_axis2 == 3, T.float32(0.0), T.float32(0.0))
                S[v_axis0, v_axis1, v_axis2, v_axis3] = T.if_then_else(v_axis0 == 2 and 2 <= v_axis3 or v_axis1 == 1 and v_axis2 == 3, T.float32(0.0), S[v_axis0, v_axis1, v_axis2, v_axis3] + A[v_axis1 * 4 + v_axis2, v_axis0 * 4 + v_axis3, vk])
        for x, y in T.grid(7, 10):
            with T.sblock("B"):
                v, w = T.axis.remap("SS", [x, y])
                T.reads(S[w // 4, v // 4, v % 4, w % 4])
                T.writes(B[v, w])
                B[v, w] = S[w // 4, v // 4, v % 4, w % 4] + T.float32(1.0)
