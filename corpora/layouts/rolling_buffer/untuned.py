from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((12, 8), "float32"), C: T.Buffer((8, 8), "float32")):
    B = T.sblock_alloc_buffer((10, 8))
    for i_0 in range(4):
        for ax0, ax1, ax2 in T.grid(4, 8, 3):
            with T.sblock("B"):
                v_i = T.axis.spatial(10, i_0 * 2 + ax0)
                v_j, v_a = T.axis.remap("SR", [ax1, ax2])
                with T.init():
                    B[v_i, v_j] = T.float32(-340282346638528859811704183484516925440.0)
                B[v_i, v_j] = T.max(B[v_i, v_j], A[v_i + v_a, v_j])
        for i_1, j, c in T.grid(2, 8, 3):
            with T.sblock("C"):
                v_i = T.axis.spatial(8, i_0 * 2 + i_1)
                v_j, v_c = T.axis.remap("SR", [j, c])
                with T.init():
                    C[v_i, v_j] = T.float32(-340282346638528859811704183484516925440.0)
                C[v_i, v_j] = T.max(C[v_i, v_j], B[v_i + v_c, v_j])
