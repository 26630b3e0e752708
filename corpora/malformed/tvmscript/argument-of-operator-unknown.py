@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    A[0] = T.exp(A[n], fast=True)
