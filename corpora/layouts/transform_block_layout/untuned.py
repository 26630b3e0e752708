from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 10, 8), "float32"), B: T.Buffer((6, 10), "float32")):
    for i, j, k in T.grid(6, 10, 8):
        with T.sblock("B"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                B[vi, vj] = T.float32(0)
            B[vi, vj] = B[vi, vj] + A[vi, vj, vk]
