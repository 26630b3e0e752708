from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 7), "float32"), Q: T.Buffer((10, 11), "float32")):
    P = T.sblock_alloc_buffer((10, 11))
    for i, j in T.grid(10, 11):
        with T.sblock("P"):
            v_i, v_j = T.axis.remap("SS", [i, j])
            P[v_i, v_j] = T.if_then_else(2 <= v_i and v_i < 8 and 2 <= v_j and v_j < 9, A[v_i - 2, v_j - 2], T.float32(0.0))
    for i, j in T.grid(10, 11):
        with T.sblock("Q"):
            v_i, v_j = T.axis.remap("SS", [i, j])
            Q[v_i, v_j] = P[v_i, v_j] + T.float32(1.0)
