@T.prim_func
def main(n: T.int32) -> T.Tuple(T.int32, T.handle):
    return n
