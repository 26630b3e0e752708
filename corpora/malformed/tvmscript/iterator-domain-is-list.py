@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    with T.attr(T.iter_var("v", [0, 4], "DataPar", ""), "k", n):
        T.evaluate(n)
