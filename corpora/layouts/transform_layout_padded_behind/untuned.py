from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((70,), "int32"), B: T.Buffer((70,), "int32")):
    S = T.sblock_alloc_buffer((70,), "int32")
    for i0, i1 in T.grid(7, 10):
        with T.sblock("S"):
            vi = T.axis.spatial(70, i0 * 10 + i1)
            S[vi] = A[vi] * 2
    for x in T.grid(70):
        with T.sblock("B"):
            v = T.axis.remap("S", [x])
            B[v] = S[v] + 1
