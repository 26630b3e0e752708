from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((6, 7), "float32"), Q: T.Buffer((10, 11), "float32")):
        # with T.sblock("root"):
        P = T.sblock_alloc_buffer((10, 11))
        for i in range(10):
            for j in range(11):
                with T.sblock("P_pad_const"):
                    v_i, v_j = T.axis.remap("SS", [i, j])
                    T.reads()
                    T.writes(P[v_i, v_j])
                    P[v_i, v_j] = T.float32(0.0)
            for j in range(7):
                with T.sblock("P"):
                    v_i = T.axis.spatial(6, i - 2)
                    v_j = T.axis.spatial(7, j)
                    T.where(2 <= i and i < 8)
                    T.reads(A[v_i, v_j])
                    T.writes(P[v_i + 2, v_j + 2])
                    P[v_i + 2, v_j + 2] = A[v_i, v_j]
        for i, j in T.grid(10, 11):
            with T.sblock("Q"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                T.reads(P[v_i, v_j])
                T.writes(Q[v_i, v_j])
                Q[v_i, v_j] = P[v_i, v_j] + T.float32(1.0)
