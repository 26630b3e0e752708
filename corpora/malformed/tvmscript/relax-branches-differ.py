@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((), "bool")):
        if x:
            a = x
        else:
            b = x
        return a
