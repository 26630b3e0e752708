# SPDX-License-Identifier: Apache-2.0
@T.prim_func
def main(O: T.Buffer((20,), "int32")):
    for i in range(20):
        O[i] = T.if_then_else(i < 5, T.truncdiv(T.min(i + 2147483640, 2147483647), -1), 0)
