@R.function
def main(x: R.Tensor((2, 3), dtype="float32"), c: R.Tensor((), "bool")):
    if c:
        lv = R.add(x, x)
        if c:
            lv2 = x
        else:
            lv2: R.Tensor((2, 3)) = R.foo(lv)
    else:
        lv2 = R.multiply(x, x)
    if c:
        lv3: R.Tensor((2, 3)) = R.foo(x)
    else:
        lv3 = R.multiply(x, x)
    return (lv2, lv3)
