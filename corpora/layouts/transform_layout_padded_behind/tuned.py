from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((70,), "int32"), B: T.Buffer((70,), "int32")):
        # with T.sblock("root"):
        S = T.sblock_alloc_buffer((5, 16), "int32")
        for i0, i1 in T.grid(7, 10):
            with T.sblock("S"):
                vi = T.axis.spatial(70, i0 * 10 + i1)
                T.reads(A[vi])
                T.writes(S[vi // 16, vi % 16])
                S[vi // 16, vi % 16] = A[vi] * 2
        for axis0, axis1 in T.grid(5, 16):
            with T.sblock("buffer_S_padding"):
                v_axis0, v_axis1 = T.axis.remap("SS", [axis0, axis1])
                T.where(axis0 == 4 and 6 <= axis1)
                T.reads()
                T.writes(S[v_axis0, v_axis1])
                S[v_axis0, v_axis1] = 7
        for x in range(70):
            with T.sblock("B"):
                v = T.axis.spatial(70, x)
                T.reads(S[v // 16, v % 16])
                T.writes(B[v])
                B[v] = S[v // 16, v % 16] + 1
