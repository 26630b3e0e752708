from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 6), "int32"), B: T.Buffer((4, 6), "int32"), D: T.Buffer((4,), "int32")):
    for i, j in T.grid(4, 6):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = A[vi + 2, 5 - vj] + T.Select(vi < 2, A[vi + 2, 5 - vj], 0)
    for i, j in T.grid(4, 6):
        with T.sblock("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            D[vi] = B[vi, vj]
