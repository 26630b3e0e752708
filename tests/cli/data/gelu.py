# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

# An activation with two literals, one of which has many digits.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(X: T.Buffer((128,), "float32"), Y: T.Buffer((128,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(128):
            with T.sblock("Y"):
                v_i = T.axis.spatial(128, i)
                Y[v_i] = X[v_i] * T.sigmoid(X[v_i] * T.float32(0.70710678118654757) + X[v_i] * X[v_i] * T.float32(0.044714998453855515))
