@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    B = T.alloc_buffer((4,), "float32xvscalex4")
    T.evaluate(B[n])
