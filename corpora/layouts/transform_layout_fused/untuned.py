from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 10), "float32"), B: T.Buffer((6, 10), "float32")):
    S = T.sblock_alloc_buffer((6, 10), "float32")
    for i0, i1 in T.grid(6, 10):
        with T.sblock("S"):
            vi, vj = T.axis.remap("SS", [i0, i1])
            S[vi, vj] = A[vi, vj] * T.float32(2)
    for x, y in T.grid(6, 10):
        with T.sblock("B"):
            v, w = T.axis.remap("SS", [x, y])
            B[v, w] = S[v, w] + T.float32(1)
