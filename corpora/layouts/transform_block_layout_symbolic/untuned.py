from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(a: T.handle, b: T.handle, n: T.int32):
    A = T.match_buffer(a, (n, 10), "float32")
    B = T.match_buffer(b, (n, 10), "float32")
    for x, y in T.grid(n, 10):
        with T.sblock("B"):
            v, w = T.axis.remap("SS", [x, y])
            B[v, w] = A[v, w] + T.float32(1)
