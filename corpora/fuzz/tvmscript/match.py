# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16, 16), "float32")):
        with T.sblock("root"):
            T.reads()
            T.writes(A[0:16, 0:16])
            T.sblock_attr({"tag": "x", "n": 3, "list": [1, 2]})
            V = T.match_buffer(A[4:8, 0:4], (4, 4), strides=("s", 1), offset_factor=1)
            local = T.sblock_alloc_buffer((4,), scope="local")
            local[0] = T.float32("inf")
            V[0, 1] = T.if_then_else(local[0] > T.float32(0), T.exp(V[1, 1]), T.float32("nan"))
