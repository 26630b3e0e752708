# The two results are stored at different places.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def main(at: T.Buffer((4, 16), "int32"), val: T.Buffer((4, 16), "float32"), best_at: T.Buffer((4,), "int32"), best: T.Buffer((4,), "float32")):
    for i, k0, k1 in T.grid(4, 2, 8):
        with T.sblock("best"):
            vi = T.axis.spatial(4, i)
            vk = T.axis.reduce(16, k0 * 8 + k1)
            with T.init():
                best_at[vi] = T.int32(-1)
                best[3 - vi] = T.min_value("float32")
            new_at: T.let[T.int32] = T.Select(best[3 - vi] > val[vi, vk] or (best[3 - vi] == val[vi, vk] and best_at[vi] < at[vi, vk]), best_at[vi], at[vi, vk])
            new: T.let[T.float32] = T.Select(best[3 - vi] > val[vi, vk], best[3 - vi], val[vi, vk])
            best_at[vi] = new_at
            best[3 - vi] = new
