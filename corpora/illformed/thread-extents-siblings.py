# expect: ir.thread-extent
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        for b in T.thread_binding(2, thread="blockIdx.x"):
            for i in T.thread_binding(8, thread="threadIdx.x"):
                B[i] = A[i]
            for j in T.thread_binding(4, thread="threadIdx.x"):
                B[j] = A[j]
