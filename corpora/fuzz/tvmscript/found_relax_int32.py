@R.function
def main(x: R.Tensor((1, 3), dtype="float32")):
    lv = R.foo(x, T.int32(3), [2, T.int64(3)], T.int8(2))
    return lv
