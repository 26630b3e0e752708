@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    B = T.Buffer((4,), "float32", data=3)
