# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), dtype="float32")) -> R.Shape(ndim=1):
        n = T.int64()
        cls = Module
        return R.shape([n])
