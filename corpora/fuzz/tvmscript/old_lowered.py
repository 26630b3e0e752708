@T.prim_func
def g(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    tx = T.env_thread("threadIdx.x")
    T.launch_thread(tx, 64)
    with T.allocate([64], "float32", "shared") as s:
        S = T.Buffer((64,), data=s, scope="shared")
        S[tx] = A[tx]
        T.tvm_storage_sync("shared")
        with T.let("t", tx + 1):
            B[tx] = S[(tx + 1) % 64]
