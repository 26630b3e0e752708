@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    B = T.match_buffer(n + 1, (4,))
