from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((6, 10), "float32"), B: T.Buffer((6, 10), "float32")):
        # with T.sblock("root"):
        S = T.sblock_alloc_buffer((4, 1, 8, 2))
        for i0, i1 in T.grid(6, 10):
            with T.sblock("S"):
                vi, vj = T.axis.remap("SS", [i0, i1])
                T.reads(A[vi, vj])
                T.writes(S[(vi * 10 + vj) // 16, 0, (vi * 10 + vj) % 8, (vi * 10 + vj) % 16 // 8])
                S[(vi * 10 + vj) // 16, 0, (vi * 10 + vj) % 8, (vi * 10 + vj) % 16 // 8] = A[vi, vj] * T.float32(2.0)
        for axis0, axis1, axis2, axis3 in T.grid(4, 1, 8, 2):
            with T.sblock("buffer_S_padding"):
                v_axis0, v_axis1, v_axis2, v_axis3 = T.axis.remap("SSSS", [axis0, axis1, axis2, axis3])
                T.where(axis0 == 3 and 12 <= axis3 * 8 + axis2)
                T.reads()
                T.writes(S[v_axis0, v_axis1, v_axis2, v_axis3])
                S[v_axis0, v_axis1, v_axis2, v_axis3] = T.float32(1.0)
        for x, y in T.grid(6, 10):
            with T.sblock("B"):
                v, w = T.axis.remap("SS", [x, y])
                T.reads(S[(v * 10 + w) // 16, 0, (v * 10 + w) % 8, (v * 10 + w) % 16 // 8])
                T.writes(B[v, w])
                B[v, w] = S[(v * 10 + w) // 16, 0, (v * 10 + w) % 8, (v * 10 + w) % 16 // 8] + T.float32(1.0)
