@T.prim_func(s_tir=True)
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    with T.sblock("b"):
        T.reads(A[0:8:2])
        T.writes()
        T.evaluate(n)
