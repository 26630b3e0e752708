# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((8,), dtype="float32")) -> R.Prim("int64"):
        cls = Module
        return R.prim_value(T.int64(3))
