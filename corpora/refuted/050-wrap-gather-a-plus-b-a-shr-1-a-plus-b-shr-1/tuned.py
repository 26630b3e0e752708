# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(X0: T.Buffer((4,), "int64", layout=None), X1: T.Buffer((4,), "int64", layout=None), X2: T.Buffer((4,), "uint8", layout=None), G: T.Buffer((2,), "uint64", layout=None), O: T.Buffer((4,), "uint64", layout=None)):
        T.func_attr({"tirx.noalias": True})
        v = T.uint8()
        for i in range(4):
            O[i] = G[T.Let(T.min(T.Cast("int32", T.Cast("uint64", v + (X2[i] & T.uint8(19)))), 1), where={v: T.Cast("uint8", X0[i] + X1[0] >> T.int64(1))})]
