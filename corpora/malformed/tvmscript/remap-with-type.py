@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    for i in range(16):
        with T.sblock("b"):
            v = T.axis.remap("S", [i], "int64")
            A[v] = 1.0
