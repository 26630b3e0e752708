@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = T.if_then_else(n > 0, A[1], A[2], dtype="float16")
