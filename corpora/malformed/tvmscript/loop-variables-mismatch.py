@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    for i, j in T.grid(2, 3, 4):
        pass
