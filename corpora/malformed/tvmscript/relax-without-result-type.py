@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        y = R.call_dps_packed("f", (x,))
        return y
