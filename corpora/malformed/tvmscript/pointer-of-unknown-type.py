@T.prim_func
def main(n: T.int32, q: T.handle("flaot32")):
    T.evaluate(n)
