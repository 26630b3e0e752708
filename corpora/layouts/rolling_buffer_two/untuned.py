from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((12, 12), "int32"), C: T.Buffer((8, 8), "int32")):
    B = T.sblock_alloc_buffer((10, 10), "int32")
    D = T.sblock_alloc_buffer((12, 12), "int32")
    for i in range(4):
        for x, y in T.grid(6, 12):
            with T.sblock("D"):
                v_i = T.axis.spatial(12, i * 2 + x)
                v_j = T.axis.spatial(12, y)
                D[v_i, v_j] = A[v_i, v_j] + 3
        for j in range(2):
            for ax0, ax1 in T.grid(4, 6):
                with T.sblock("B"):
                    v_i = T.axis.spatial(10, i * 2 + ax0)
                    v_j = T.axis.spatial(10, j * 4 + ax1)
                    B[v_i, v_j] = D[v_i, v_j] + D[v_i + 2, v_j + 1]
            for ax0, ax1 in T.grid(2, 4):
                with T.sblock("C"):
                    v_i = T.axis.spatial(8, i * 2 + ax0)
                    v_j = T.axis.spatial(8, j * 4 + ax1)
                    C[v_i, v_j] = B[v_i, v_j] + B[v_i + 2, v_j + 1] + B[v_i, v_j + 2]
