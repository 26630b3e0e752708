# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((1,), "uint64", layout=None), X1: T.Buffer((1,), "uint64", layout=None), O: T.Buffer((1,), "uint64", layout=None)):
        T.func_attr({"tirx.noalias": True})
        v = T.bool()
        for i in range(1):
            O[i] = T.Let(T.if_then_else(v, X0[i], X1[i]), where={v: X0[i] < T.uint64(0)})
