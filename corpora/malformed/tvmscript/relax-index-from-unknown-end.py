@R.function
def main(x: R.Object):
    lv = x[-1]
    return lv
