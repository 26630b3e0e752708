@T.prim_func
def main(x: T.void):
    T.evaluate(x)
