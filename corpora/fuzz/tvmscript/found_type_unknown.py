@T.prim_func
def main(n: R.int32):
    T.evaluate(n)
