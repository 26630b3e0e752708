@T.prim_func
def main(B: T.Buffer((), "float32"), n: T.int32):
    T.evaluate(B.vload([], "float32x4"))
