@R.function(private=None)
def main(x: R.Tensor(("n", 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
    n ; T.int72()
    lv1: R.Tensor((n, 4), dtype="float32") = x
    return lv1
