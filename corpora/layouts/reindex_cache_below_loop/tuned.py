from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((6, 10), "int32"), B: T.Buffer((6,), "int32"), C: T.Buffer((6,), "int32")):
        # with T.sblock("root"):
        B_global = T.sblock_alloc_buffer((1, 6), "int32")
        A_global = T.sblock_alloc_buffer((3, 6, 4), "int32")
        B_global_1 = T.sblock_alloc_buffer((6, 1), "int32")
        for i, k_0, k_1 in T.grid(6, 2, 5):
            with T.sblock("A_global"):
                vi = T.axis.spatial(6, i)
                vk = T.axis.spatial(10, k_0 * 5 + k_1)
                T.reads(A[vi, vk])
                T.writes(A_global[vk // 4, vi, vk % 4])
                A_global[vk // 4, vi, vk % 4] = A[vi, vk]
        for i in range(6):
            for k_0, k_1 in T.grid(2, 5):
                with T.sblock("B"):
                    vi = T.axis.spatial(6, i)
                    vk = T.axis.reduce(10, k_0 * 5 + k_1)
                    T.reads(A_global[vk // 4, vi, vk % 4])
                    T.writes(B_global[0, vi])
                    with T.init():
                        B_global[0, vi] = 0
                    B_global[0, vi] = B_global[0, vi] + A_global[vk // 4, vi, vk % 4]
            with T.sblock("B_global"):
                vi = T.axis.spatial(6, i)
                T.reads(B_global[0, vi])
                T.writes(B[vi])
                B[vi] = B_global[0, vi]
            with T.sblock("B_global"):
                vi = T.axis.spatial(6, i)
                T.reads(B[vi])
                T.writes(B_global_1[vi, 0])
                B_global_1[vi, 0] = B[vi]
            with T.sblock("C"):
                vi = T.axis.spatial(6, i)
                T.reads(B_global_1[vi, 0])
                T.writes(C[vi])
                C[vi] = B_global_1[vi, 0] + 1
