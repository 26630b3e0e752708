from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(a: T.handle, b: T.handle, c: T.handle, n: T.int32):
    A = T.match_buffer(a, (n, 10), "float32")
    B = T.match_buffer(b, (n, 10), "float32")
    C = T.match_buffer(c, (n,), "float32")
    for x, y in T.grid(n, 10):
        with T.sblock("B"):
            v, w = T.axis.remap("SR", [x, y])
            with T.init():
                C[v] = T.float32(0)
            C[v] = C[v] + A[v, w] * B[v, w]
