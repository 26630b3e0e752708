from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 7), "float32"), W: T.Buffer((7,), "float32"), C: T.Buffer((6,), "float32"), D: T.Buffer((6, 7), "float32")):
    for i, k in T.grid(6, 7):
        with T.sblock("C"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + A[vi, vk]
    for i, k in T.grid(6, 7):
        with T.sblock("D"):
            vi, vk = T.axis.remap("SS", [i, k])
            D[vi, vk] = A[vi, vk] / W[vk] + C[vi]
