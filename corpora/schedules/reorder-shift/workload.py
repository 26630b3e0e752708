# Each row is made from the one before.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(B: T.Buffer((8, 4), "float32")):
    for i, j in T.grid(7, 4):
        with T.sblock("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi + 1, 3 - vj] = B[vi, vj] * T.float32(2)
