from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((1, 18, 18, 4), "float32"), W: T.Buffer((3, 3, 4, 8), "float32"), C: T.Buffer((1, 16, 16, 8), "float32")):
        # with T.sblock("root"):
        A_shared = T.sblock_alloc_buffer((1, 18, 18, 4), scope="shared")
        W_local = T.sblock_alloc_buffer((9, 32), scope="local")
        C_local = T.sblock_alloc_buffer((1, 2, 16, 16, 4), scope="local")
        for f, rh, rw, rc in T.grid(8, 3, 3, 4):
            with T.sblock("W_local"):
                vf, vrh, vrw, vrc = T.axis.remap("SSSS", [f, rh, rw, rc])
                T.reads(W[vrh, vrw, vrc, vf])
                T.writes(W_local[vrh * 3 + vrw, vrc * 8 + vf])
                W_local[vrh * 3 + vrw, vrc * 8 + vf] = W[vrh, vrw, vrc, vf]
        for n, h, w, rh, rw, rc in T.grid(1, 16, 16, 3, 3, 4):
            with T.sblock("A_shared"):
                vn, vh, vw, vrh, vrw, vrc = T.axis.remap("SSSSSS", [n, h, w, rh, rw, rc])
                T.reads(A[vn, vh + vrh, vw + vrw, vrc])
                T.writes(A_shared[vn, vh + vrh, vw + vrw, vrc])
                A_shared[vn, vh + vrh, vw + vrw, vrc] = A[vn, vh + vrh, vw + vrw, vrc]
        for n, h, w, f, rh, rw, rc in T.grid(1, 16, 16, 8, 3, 3, 4):
            with T.sblock("C"):
                vn, vh, vw, vf, vrh, vrw, vrc = T.axis.remap("SSSSRRR", [n, h, w, f, rh, rw, rc])
                T.reads(A_shared[vn, vh + vrh, vw + vrw, vrc], W_local[vrh * 3 + vrw, vrc * 8 + vf])
                T.writes(C_local[vn, vf // 4, vh, vw, vf % 4])
                with T.init():
                    C_local[vn, vf // 4, vh, vw, vf % 4] = T.float32(0.0)
                C_local[vn, vf // 4, vh, vw, vf % 4] = C_local[vn, vf // 4, vh, vw, vf % 4] + A_shared[vn, vh + vrh, vw + vrw, vrc] * W_local[vrh * 3 + vrw, vrc * 8 + vf]
        for n, h, w, f in T.grid(1, 16, 16, 8):
            with T.sblock("C_local"):
                vn, vh, vw, vf = T.axis.remap("SSSS", [n, h, w, f])
                T.reads(C_local[vn, vf // 4, vh, vw, vf % 4])
                T.writes(C[vn, vh, vw, vf])
                C[vn, vh, vw, vf] = C_local[vn, vf // 4, vh, vw, vf % 4]
