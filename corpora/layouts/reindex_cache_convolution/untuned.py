from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((1, 18, 18, 4), "float32"), W: T.Buffer((3, 3, 4, 8), "float32"), C: T.Buffer((1, 16, 16, 8), "float32")):
    for n, h, w, f, rh, rw, rc in T.grid(1, 16, 16, 8, 3, 3, 4):
        with T.sblock("C"):
            vn, vh, vw, vf, vrh, vrw, vrc = T.axis.remap("SSSSRRR", [n, h, w, f, rh, rw, rc])
            with T.init():
                C[vn, vh, vw, vf] = T.float32(0)
            C[vn, vh, vw, vf] = C[vn, vh, vw, vf] + A[vn, vh + vrh, vw + vrw, vrc] * W[vrh, vrw, vrc, vf]
