from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((7, 10), "float16"), W: T.Buffer((9, 10), "float16"), C: T.Buffer((7, 9), "float32")):
    for i, j, k in T.grid(7, 9, 10):
        with T.sblock("C"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + T.Cast("float32", A[vi, vk]) * T.Cast("float32", W[vj, vk])
