@R.function
def main(x: R.Tensor((2, 3), dtype="float32"), c: R.Tensor((), "bool")):
    if c:
        lv = R.match_cast(x, R.Tensor((2, 3), "float32"))
    else:
        lv = x
    return lv
