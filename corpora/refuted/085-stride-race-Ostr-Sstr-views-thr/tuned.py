# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((8, 6), "int16", layout=None), O: T.Buffer((3, 4), "int16", strides=(2, 1), layout=None)):
        T.func_attr({"tirx.noalias": True})
        with T.launch_thread("threadIdx.x", 7) as tx:
            S2 = T.alloc_buffer((4,), "int16", scope="shared", layout=None)
            S3 = T.alloc_buffer((4, 2), "int16", strides=(1, 1), scope="shared", layout=None)
            V4 = T.decl_buffer((4,), "int16", data=O.data, strides=(1,), layout=None)
            if tx < 4:
                S2[tx] = A[tx + 4, tx] ^ A[0, 0]
            T.call_intrin("int32", "tirx.tvm_storage_sync", "shared")
            if tx < 4:
                for j in range(2):
                    S3[tx, j] = A[tx, j]
            T.call_intrin("int32", "tirx.tvm_storage_sync", "shared")
            if tx < 3:
                for j_1 in range(4):
                    O[tx, j_1] = A[tx + 4, 2]
