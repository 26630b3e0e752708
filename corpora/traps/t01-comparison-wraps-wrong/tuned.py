# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(C: T.Buffer((4096,), "int32")):
    for i in range(4096):
        C[i] = T.Select(i * 1048576 >= 0, 1, 0)
