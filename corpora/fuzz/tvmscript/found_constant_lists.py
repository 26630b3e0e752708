@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    a = T.allocate_const([1, 2, 3, 4], "int32", [2, 2])
    b = T.allocate_const([1, 0], "bool", [2], annotations={"x": 1})
    c = T.allocate_const(5, "int32", [])
    d = T.allocate_const([32767, 31744], "float16", [2])
    T.evaluate(n)
