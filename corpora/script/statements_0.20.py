# SPDX-License-Identifier: Apache-2.0
# One of each statement of lowered code, TVM 0.12 to 0.23.
@T.prim_func(private=True)
def main(A: T.Buffer((64,), "float16"), p: T.handle("float16", "shared"), n: T.int32, idx: T.handle):
    m = T.int64(is_size_var=True)
    s0, s1 = T.int32(), T.int32()
    I_ = T.match_buffer(idx, (m, 4), "int32", strides=(s0, s1), elem_offset=T.int64(0), scope="global", align=128, offset_factor=1, buffer_type="auto", axis_separators=[1])
    assert n < 64, "n is too large"
    x: T.int32 = n + 1
    with T.LetStmt(x * 2) as y:
        A[y] = T.float16(0.5)
    with T.LetStmt(T.float32(1.0)) as z:
        T.evaluate(z)
    V = T.Buffer((16,), "float16", data=A.data)
    W = T.decl_buffer((4, 4), "float16", data=A.data, elem_offset=16)
    V[0:4] = A[4:8] + T.Broadcast(T.float16(1), 4)
    V[T.Ramp(0, 2, 4)] = A[0:8:2]
    A.vstore([T.Ramp(0, 1, 4)], A.vload([T.Ramp(4, 1, 4)], predicate=T.Broadcast(T.bool(True), 4)), predicate=T.Broadcast(T.bool(True), 4))
    K = T.allocate_const([1, 2, 3], "int32", [3])
    K_1 = T.Buffer((3,), "int32", data=K)
    while K_1[0] < n:
        if I_[0, 0] == K_1[1]:
            break
        elif I_[0, 1] == 2:
            continue
        else:
            T.call_extern("int32", "f", T.address_of(A[2]), T.tvm_access_ptr(T.type_annotation("float16"), A.data, 0, 4, 3))
    T.call_packed("g", A.data, "text\n\x41")
    with T.attr(T.comm_reducer(lambda a, b, c, d: (a + c, T.max(b, d)), [T.int32(0), T.float32("-inf")]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
        pass
    if n == 3:
        T.ret(n)
    return T.int32(0)
