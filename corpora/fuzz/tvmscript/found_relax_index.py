@R.function
def main(x: R.Tensor((2, 3), dtype="float32")):
    lv = (x, (x, x))
    lv1 = lv[-1]
    return lv1
