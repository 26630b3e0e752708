# SPDX-License-Identifier: Apache-2.0
# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A0: T.Buffer((3,), "int32", layout=None), D1: T.Buffer((3,), "int32", layout=None), C2: T.Buffer((3,), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        with T.launch_thread("blockIdx.x", 2) as o1:
            with T.launch_thread("threadIdx.x", 2) as t2:
                D1_shared = T.alloc_buffer((3,), "int32", scope="shared", layout=None)
                for s3 in range(1):
                    if s3 * 2 + t2 < 3:
                        D1_shared[s3 * 2 + t2] = D1[s3 * 2 + t2]
                T.call_intrin("int32", "tirx.tvm_storage_sync", "shared")
                if o1 * 2 + t2 < 3:
                    C2[o1 * 2 + t2] = A0[o1 * 2 + t2] * T.if_then_else(D1_shared[o1 * 2 + t2] > 3, A0[o1 * 2 + t2], A0[o1 * 2 + t2])
