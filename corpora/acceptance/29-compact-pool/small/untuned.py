# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(X: T.Buffer((6, 6), "float32"), O: T.Buffer((6, 6), "float32")):
    cache = T.alloc_buffer((6, 6), "float32")
    for h, w in T.grid(6, 6):
        cache[h, w] = X[h, w]
    for h, w, kh, kw in T.grid(6, 6, 3, 3):
        with T.sblock("pool"):
            vh, vw, vi, vj = T.axis.remap("SSRR", [h, w, kh, kw])
            with T.init():
                O[vh, vw] = T.float32(0)
            O[vh, vw] = T.max(O[vh, vw], T.if_then_else(1 <= vh + vi and vh + vi < 7 and 1 <= vw + vj and vw + vj < 7, cache[vh + vi - 1, vw + vj - 1], T.float32(0)))
