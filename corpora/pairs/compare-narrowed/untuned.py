# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(A: T.Buffer((200,), "float32"), C: T.Buffer((200,), "bool")):
    for i in range(200):
        C[i] = T.Cast("int8", i) < T.int8(5)
