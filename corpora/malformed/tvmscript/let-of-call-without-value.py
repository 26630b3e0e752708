@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    x = T.call_extern("void", "f", n)
    T.evaluate(x)
