# SPDX-License-Identifier: Apache-2.0
@T.prim_func(s_tir=True)
def main(D: T.Buffer((8, 18, 18), "float32"), G: T.Buffer((8, 8, 3, 3), "float32"), O: T.Buffer((8, 16, 16), "float32")):
    for co, y, x, ci, r, s in T.grid(8, 16, 16, 8, 3, 3):
        with T.sblock("conv"):
            vo, vy, vx, vi, vr, vs = T.axis.remap("SSSRRR", [co, y, x, ci, r, s])
            with T.init():
                O[vo, vy, vx] = T.float32(0)
            O[vo, vy, vx] = O[vo, vy, vx] + D[vi, vy + vr, vx + vs] * G[vo, vi, vr, vs]
