# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        for i in T.vectorized(4):
            B[i] = A[i * 4]
        B[T.Ramp(4, 1, 4)] = A[T.Ramp(0, 2, 4)] + T.Broadcast(T.float32(1), 4)
        B[8] = T.Select(A[0] < A[1], A[2], T.max(A[3], A[4]))
