from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((7, 10, 6), "float32"), B: T.Buffer((7, 10), "float32")):
    S = T.sblock_alloc_buffer((7, 10), "float32")
    for i0, i1, k in T.grid(7, 10, 6):
        with T.sblock("S"):
            vi, vj, vk = T.axis.remap("SSR", [i0, i1, k])
            with T.init():
                S[vi, vj] = T.float32(0)
            S[vi, vj] = S[vi, vj] + A[vi, vj, vk]
    for x, y in T.grid(7, 10):
        with T.sblock("B"):
            v, w = T.axis.remap("SS", [x, y])
            B[v, w] = S[v, w] + T.float32(1)
