# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((4,), "int32"), Y: T.Buffer((16,), "int32"), O: T.Buffer((4,), "int32")):
    v = T.int32()
    w = T.int32()
    for i in range(4):
        O[i] = T.Let(T.Let(T.if_then_else(X[i] > 0, w, 0), where={w: v + 1}), where={v: Y[i] // X[i]})
