# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main_kernel(A_ptr: T.handle("float32", "global"), B_ptr: T.handle("float32", "global")):
        T.func_attr({"calling_conv": 2, "tirx.kernel_launch_params": ["blockIdx.x", "threadIdx.x"]})
        A = T.decl_buffer((32,), "float32", data=A_ptr)
        B = T.decl_buffer((32,), "float32", data=B_ptr)
        with T.launch_thread("blockIdx.x", 4) as bx:
            with T.launch_thread("threadIdx.x", 8) as tx:
                B[bx * 8 + tx] = T.exp(A[bx * 8 + tx])
