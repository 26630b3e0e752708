@T.prim_func
def main(A: T.Buffer((4,), "uint63")):
    for i in range(4):
        A[i] = T.uint63(1)
