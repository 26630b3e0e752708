from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((6, 10, 8), "float32"), B: T.Buffer((6, 10), "float32")):
        # with T.sblock("root"):
        for ax0, ax1, ax2, ax3 in T.grid(2, 2, 60, 2):
            with T.sblock("B"):
                v0, v1, v2, v3 = T.axis.remap("RRSR", [ax0, ax1, ax2, ax3])
                T.reads(A[v2 // 10, v2 % 10, v3 * 4 + v0 * 2 + v1])
                T.writes(B[v2 // 10, v2 % 10])
                with T.init():
                    B[v2 // 10, v2 % 10] = T.float32(0.0)
                B[v2 // 10, v2 % 10] = B[v2 // 10, v2 % 10] + A[v2 // 10, v2 % 10, v3 * 4 + v0 * 2 + v1]
