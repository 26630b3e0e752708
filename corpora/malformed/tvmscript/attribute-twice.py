@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    T.func_attr({"tir.noalias": True})
    T.func_attr({"tirx.noalias": True})
    T.evaluate(n)
