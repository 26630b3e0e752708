@T.prim_func
def main(n: T.int32):
    T.func_attr({"a": 18446744073709551615})
    T.evaluate(n)
