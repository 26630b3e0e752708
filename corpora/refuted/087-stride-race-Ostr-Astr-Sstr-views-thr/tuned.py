# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((5,), "int8", strides=(1,), layout=None), O: T.Buffer((3, 4), "int8", strides=(1, 1), layout=None)):
        T.func_attr({"tirx.noalias": True})
        with T.launch_thread("threadIdx.x", 2) as tx:
            S2 = T.alloc_buffer((4, 2), "int8", strides=(0, 1), scope="shared", layout=None)
            S3 = T.alloc_buffer((36,), "int8", scope="shared", layout=None)
            V4 = T.decl_buffer((4,), "int8", data=S2.data, scope="shared", layout=None)
            for j in range(2):
                S2[tx, j] = A[tx * 2 + j]
            T.call_intrin("int32", "tirx.tvm_storage_sync", "shared")
            for r in range(18):
                S3[r * 2 + tx] = T.int8(2)
            T.call_intrin("int32", "tirx.tvm_storage_sync", "shared")
            for r_1 in range(2):
                if r_1 * 2 + tx < 3:
                    for j_1 in range(4):
                        O[r_1 * 2 + tx, 0] = S3[(r_1 * 2 + tx) * 3 + j_1] ^ S3[r_1 * 2 + tx]
