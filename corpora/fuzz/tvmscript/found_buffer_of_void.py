@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    V = T.Buffer((16,), "", data=A.data, elel_offset=16)
    V[0:4] = A[4:8]
