from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "int32"), Q: T.Buffer((10,), "int32")):
    P = T.sblock_alloc_buffer((10,), "int32")
    for o in range(5):
        for i in range(2):
            with T.sblock("P"):
                v = T.axis.spatial(10, o * 2 + i)
                P[v] = T.if_then_else(1 <= v and v < 9, A[v - 1], 7)
        for i in range(2):
            with T.sblock("Q"):
                v = T.axis.spatial(10, o * 2 + i)
                Q[v] = P[v] + 1
