from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((12, 12), "int32"), C: T.Buffer((8, 8), "int32")):
        # with T.sblock("root"):
        B = T.sblock_alloc_buffer((4, 10), "int32")
        D = T.sblock_alloc_buffer((6, 12), "int32")
        for i in range(4):
            for x, y in T.grid(6, 12):
                with T.sblock("D"):
                    v_i = T.axis.opaque(12, i * 2 + x)
                    v_j = T.axis.spatial(12, y)
                    T.where(i < 1 or 4 <= x)
                    T.reads(A[v_i, v_j])
                    T.writes(D[v_i % 6, v_j])
                    D[v_i % 6, v_j] = A[v_i, v_j] + 3
            for j in range(2):
                for ax0, ax1 in T.grid(4, 6):
                    with T.sblock("B"):
                        v_i = T.axis.opaque(10, i * 2 + ax0)
                        v_j = T.axis.spatial(10, j * 4 + ax1)
                        T.where((i < 1 or 2 <= ax0) and (j < 1 or 2 <= ax1))
                        T.reads(D[T.min(v_i % 6, (v_i + 2) % 6):T.min(v_i % 6, (v_i + 2) % 6) + (T.max(v_i % 6, (v_i + 2) % 6) + 1 - T.min(v_i % 6, (v_i + 2) % 6)), v_j:v_j + 2])
                        T.writes(B[v_i % 4, v_j])
                        B[v_i % 4, v_j] = D[v_i % 6, v_j] + D[(v_i + 2) % 6, v_j + 1]
                for ax0, ax1 in T.grid(2, 4):
                    with T.sblock("C"):
                        v_i = T.axis.opaque(8, i * 2 + ax0)
                        v_j = T.axis.spatial(8, j * 4 + ax1)
                        T.reads(B[T.min(v_i % 4, (v_i + 2) % 4):T.min(v_i % 4, (v_i + 2) % 4) + (T.max(v_i % 4, (v_i + 2) % 4) + 1 - T.min(v_i % 4, (v_i + 2) % 4)), v_j:v_j + 3])
                        T.writes(C[v_i, v_j])
                        C[v_i, v_j] = B[v_i % 4, v_j] + B[(v_i + 2) % 4, v_j + 1] + B[v_i % 4, v_j + 2]
