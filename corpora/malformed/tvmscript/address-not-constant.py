@T.prim_func
def main(A: T.Buffer((16,), "float32", allocated_addr=[T.int32(1) + T.call_extern("int32", "f")]), k: T.int32, n: T.int32):
    T.evaluate(n)
