# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(x: T.int32) -> T.int32:
    if x > 3:
        return x * 2
    return 1
