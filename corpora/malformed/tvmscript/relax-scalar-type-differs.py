@R.function
def main(x: R.Prim("int64", value=T.float32(1))):
    return x
