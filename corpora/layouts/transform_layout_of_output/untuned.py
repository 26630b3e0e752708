from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((7, 10), "float32"), B: T.Buffer((7, 10), "float32")):
    for x, y in T.grid(7, 10):
        with T.sblock("B"):
            v, w = T.axis.remap("SS", [x, y])
            B[v, w] = A[v, w] + T.float32(1)
