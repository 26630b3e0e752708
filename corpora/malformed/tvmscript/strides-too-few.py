@T.prim_func
def main(A: T.Buffer((16,), "float32"), n: T.int32):
    B = T.decl_buffer((4, 4), "float32", data=A.data, strides=(4,))
