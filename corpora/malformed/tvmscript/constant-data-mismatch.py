@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    B = T.allocate_const([1, 2], "int32", [3])
