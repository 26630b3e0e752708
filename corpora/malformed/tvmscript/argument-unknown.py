@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    B = T.Buffer((16,), "float32", data=A.data, elel_offset=16)
    B[0] = A[n]
