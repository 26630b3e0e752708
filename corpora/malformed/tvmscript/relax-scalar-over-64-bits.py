@R.function
def main(x: R.Tensor((2, 3), dtype="float32")):
    lv = R.foo(x, 18446744073709551615)
    return lv
