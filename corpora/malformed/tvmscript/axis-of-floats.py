@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    with T.sblock("b"):
        v = T.axis.spatial(16, n, dtype="float32")
        A[v] = 1.0
