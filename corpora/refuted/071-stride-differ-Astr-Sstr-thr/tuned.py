# SPDX-License-Identifier: Apache-2.0
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def main(A: T.Buffer((4, 5), "int32", strides=(5, 1), layout=None), O: T.Buffer((4, 5), "int32", layout=None)):
        T.func_attr({"tirx.noalias": True})
        with T.launch_thread("threadIdx.x", 6) as tx:
            S2 = T.alloc_buffer((4, 5), "int32", strides=(0, 1), scope="shared", layout=None)
            if tx < 4:
                for j in range(5):
                    O[tx, j] = A[tx, j]
