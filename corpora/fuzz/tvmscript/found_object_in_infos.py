@I.ir_module
class Module:
    I.module_global_infos({"vdevice": [I.object("ir.VDevice", {"memory_scope": "global", "target": T.target({"keys": [], "kind": "llvm", "tag": ""}), "vdevice_id": 0})]})

    @T.prim_func
    def main(n: T.int32):
        T.func_attr({"type": R.Object, "shape": I.shape([1, 2]), "literal": T.IntImm("int33", 4), "map": T.index_map(lambda i, j: (j, i), index_dtype="int32")})
        T.evaluate(n)
