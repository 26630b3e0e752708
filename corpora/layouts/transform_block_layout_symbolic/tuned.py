from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer(("n", 10), "float32"), B: T.Buffer((n, 10), "float32"), n: T.int32):
        # with T.sblock("root"):
        for ax0, ax1, ax2, ax3 in T.grid(1, 2, 5, n):
            with T.sblock("B"):
                v0, v1, v2, v3 = T.axis.remap("SSSS", [ax0, ax1, ax2, ax3])
                T.reads(A[v3, v1 * 5 + v2])
                T.writes(B[v3, v1 * 5 + v2])
                B[v3, v1 * 5 + v2] = A[v3, v1 * 5 + v2] + T.float32(1.0)
