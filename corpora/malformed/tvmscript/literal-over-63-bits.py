@T.prim_func
def main(n: T.int32):
    T.evaluate(T.IntImm("int64", 18446744073709551615))
