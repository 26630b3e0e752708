from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(A: T.Buffer((6, 10), "int32"), B: T.Buffer((6,), "int32"), C: T.Buffer((6,), "int32")):
    for i in range(6):
        for k in range(10):
            with T.sblock("B"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    B[vi] = 0
                B[vi] = B[vi] + A[vi, vk]
        with T.sblock("C"):
            vi = T.axis.remap("S", [i])
            C[vi] = B[vi] + 1
