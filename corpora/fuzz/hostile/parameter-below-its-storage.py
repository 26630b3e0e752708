# SPDX-License-Identifier: Apache-2.0
@T.prim_func(private=True)
def main(X: T.Buffer((4,), "float32"), G: T.Buffer((16,), "float32", strides=(-1,)), O: T.Buffer((4,), "float32", strides=(-1000000,))):
    for i in range(4):
        O[i] = X[i] + G[i]
