@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    for i in T.serial(n, annotations={"a": 1}, annotations={}):
        A[i] = 0.0
