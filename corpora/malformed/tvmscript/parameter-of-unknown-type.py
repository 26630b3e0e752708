@T.prim_func
def main(A: T.banana):
    pass
