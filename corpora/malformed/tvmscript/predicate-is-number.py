@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    T.store(A.data, n, 1.0, n)
