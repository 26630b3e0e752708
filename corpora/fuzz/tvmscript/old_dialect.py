@T.prim_func
def f(a: T.handle, B: T.Buffer[(4, 4), "int8"]) -> None:
    # function attr dict
    T.func_attr({"global_symbol": "f", "tir.noalias": True})
    A = T.match_buffer(a, [4, 4], dtype="int8")
    # body
    # with T.block("root")
    C = T.alloc_buffer([4, 4], dtype="int8")
    for i, j in T.grid(4, 4):
        for k in T.thread_binding(2, thread="threadIdx.x"):
            with T.block("b"):
                vi = T.axis.spatial(4, i)
                vj = T.axis.S(4, j)
                T.where(k == 0)
                C[vi, vj] = T.cast(A[vi, vj], "int8")
    for i0 in T.serial(4, annotations={"pragma_unroll_explicit":1}):
        for j0 in T.unroll(4):
            with T.block("c"):
                x, y = T.axis.remap("SS", [i0, j0])
                B[x, y] = C[x, y] << T.int8(1)
