@T.prim_func
n = 1
