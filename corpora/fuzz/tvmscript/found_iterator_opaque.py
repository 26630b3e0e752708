@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    with T.attr(T.iter_var("v", None, "Opaque", ""), "k", n):
        T.evaluate(n)
