# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
        blockIdx_x = T.launch_thread("blockIdx.x", 4)
        threadIdx_x = T.launch_thread("threadIdx.x", 32)
        stage = T.alloc_buffer((32,), scope="shared")
        stage[threadIdx_x] = A[blockIdx_x * 32 + threadIdx_x]
        T.tvm_storage_sync("shared")
        B[blockIdx_x * 32 + threadIdx_x] = stage[31 - threadIdx_x]
