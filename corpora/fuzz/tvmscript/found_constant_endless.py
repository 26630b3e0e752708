@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    a = T.allocate_const([], "int32", [1000000000000, 0])
    T.evaluate(n)
