@T.prim_func
def main(A):
    pass
