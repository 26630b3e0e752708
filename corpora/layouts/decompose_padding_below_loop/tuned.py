from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "int32"), Q: T.Buffer((10,), "int32")):
        # with T.sblock("root"):
        P = T.sblock_alloc_buffer((10,), "int32")
        for o in range(5):
            for i in range(2):
                with T.sblock("P_pad_const"):
                    v = T.axis.spatial(10, o * 2 + i)
                    T.reads()
                    T.writes(P[v])
                    P[v] = 7
            for i in range(2):
                with T.sblock("P"):
                    v = T.axis.spatial(8, o * 2 + i - 1)
                    T.where(1 <= o * 2 + i and o * 2 + i < 9)
                    T.reads(A[v])
                    T.writes(P[v + 1])
                    P[v + 1] = A[v]
            for i in range(2):
                with T.sblock("Q"):
                    v = T.axis.spatial(10, o * 2 + i)
                    T.reads(P[v])
                    T.writes(Q[v])
                    Q[v] = P[v] + 1
