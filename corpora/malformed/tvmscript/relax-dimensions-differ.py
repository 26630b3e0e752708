@R.function
def main(x: R.Tensor((2, 3), dtype="float32", ndim=3)):
    return x
