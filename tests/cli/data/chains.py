# SPDX-License-Identifier: Apache-2.0
"""chains.py FOLDER DEPTH: modules in which everything is shared.

Each shape has as many statements or terms as DEPTH says, and each uses the one
before twice: as a tree they have 2^DEPTH leaves. NAME.py is the module, NAME-other.py
the same with another constant in its innermost term.
"""
import sys
from pathlib import Path

HEAD = """# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(%s):
%s"""


def module(params, lines, level=2):
    return HEAD % (params, "".join("    " * level + line + "\n" for line in lines))


A, B = 'A: T.Buffer((8,), "%s")', 'B: T.Buffer((8,), "%s")'


def two(dtype):
    return (A + ", " + B) % (dtype, dtype)


def let(depth, c, dtype, one):
    """A chain of let statements."""
    lines = [f"v0: T.{dtype} = A[0] + T.{dtype}({c})"]
    lines += [f"v{k}: T.{dtype} = " + one(f"v{k - 1}", k) for k in range(1, depth + 1)]
    return module(two(dtype), [*lines, f"B[0] = v{depth}"])


def let_float(depth, c):
    return let(depth, c, "float32", lambda v, k: f"{v} + {v}")


def let_int(depth, c):
    return let(depth, c, "int32", lambda v, k: f"{v} * {v} + {v}")


def let_product(depth, c):
    return let(depth, c, "float32", lambda v, k: f"{v} * ({v} - T.float32({k % 7}))")


def let_select(depth, c):
    return let(depth, c, "int32",
               lambda v, k: f"T.Select({v} > {k % 5}, {v} + {k % 3}, {v} - {k % 11})")


def let_max(depth, c):
    return let(depth, c, "float32", lambda v, k: f"T.max({v}, T.exp({v}))")


def let_divide(depth, c):
    return let(depth, c, "int32", lambda v, k: f"({v} // {k % 3 + 2}) + {v} % {k % 5 + 2}")


def let_bits(depth, c):
    return let(depth, c, "int32", lambda v, k: f"T.bitwise_xor({v}, T.shift_right({v}, {k % 5}))")


def address(depth, c):
    """Addresses that are a chain."""
    lines = [f"v0: T.int32 = T.int32({c})"]
    lines += [f"v{k}: T.int32 = (v{k - 1} + v{k - 1} * 3) % 8" for k in range(1, depth + 1)]
    return module(two("float32"), [*lines, f"B[v{depth}] = A[v{depth}]"])


def loop_address(depth, c):
    lines = [f"v0: T.int32 = i + {c}"]
    lines += [f"v{k}: T.int32 = (v{k - 1} + v{k - 1}) % 8" for k in range(1, depth + 1)]
    lines.append(f"B[i] = A[v{depth}]")
    return module(two("float32"), ["for i in range(8):"] + ["    " + x for x in lines])


def indirect(depth, c):
    lines = [f"v0: T.int32 = A[0] % 8 + {c - c}"]
    lines += [f"v{k}: T.int32 = A[(v{k - 1} + v{k - 1}) % 8]" for k in range(1, depth + 1)]
    return module(two("int32"), [*lines, f"B[0] = v{depth} + {c}"])


def condition(depth, c):
    lines = [f"v0: T.bool = A[0] > {c}"]
    lines += [f"v{k}: T.bool = (v{k - 1} and A[{k % 8}] > {k}) or (not v{k - 1} and A[1] < {k})"
              for k in range(1, depth + 1)]
    return module(two("int32"), [*lines, f"if v{depth}:", "    B[0] = 1"])


def cell(depth, c, dtype="float32", one="B[0] = B[0] + B[0]"):
    """One cell, updated again and again."""
    return module(two(dtype), [f"B[0] = A[0] + T.{dtype}({c})"] + [one] * depth)


def cell_int(depth, c):
    return cell(depth, c, "int32", "B[0] = B[0] * B[0] + B[0]")


def cell_loop(depth, c):
    return module(two("float32"), [f"B[0] = A[0] + T.float32({c})", f"for i in range({depth}):",
                                   "    B[0] = B[0] + B[0]"])


def cells(depth, c):
    """Two cells in turn, each from both."""
    lines = [f"B[0] = A[0] + T.float32({c})", "B[1] = A[1]"]
    return module(two("float32"), lines + [f"B[{k % 2}] = B[0] * B[1]" for k in range(depth)])


def scratch(depth, c):
    lines = ['S = T.alloc_buffer((8,), "float32")', f"S[0] = A[0] + T.float32({c})"]
    lines += ["S[0] = S[0] + S[0]"] * depth
    return module(two("float32"), [*lines, "B[0] = S[0]"])


def stages(depth, c):
    """A buffer a stage, each read twice by the next."""
    lines, last = [], "A"
    for k in range(depth):
        lines.append(f'S{k} = T.alloc_buffer((8,), "float32")')
    for k in range(depth):
        lines += [f"for i{k} in range(8):",
                  f"    S{k}[i{k}] = {last}[i{k}] + {last}[7 - i{k}] * T.float32({c if k == 0 else 2})"]
        last = f"S{k}"
    return module(two("float32"), [*lines, "for i in range(8):", f"    B[i] = {last}[i]"])


def guards(depth, c):
    lines = [f"B[0] = A[0] + T.int32({c})"]
    for k in range(depth):
        lines += [f"if B[0] > {k}:", "    B[0] = B[0] + B[0]"]
    return module(two("int32"), lines)


def size(depth, c):
    """Symbolic sizes that are a chain."""
    lines = ['A = T.match_buffer(a, (n,), "float32")', 'B = T.match_buffer(b, (n,), "float32")',
             f"v0: T.int32 = n + {c}"]
    lines += [f"v{k}: T.int32 = T.min(v{k - 1} + v{k - 1}, n)" for k in range(1, depth + 1)]
    lines += [f"for i in range(T.min(v{depth}, n)):", "    B[i] = A[i]"]
    return module("a: T.handle, b: T.handle, n: T.int32", lines)


def uniform(depth, c):
    """Threads: a barrier under a condition that a warp shares."""
    lines = ["v0: T.int32 = tx // 32"]
    lines += [f"v{k}: T.int32 = T.bitwise_and(v{k - 1}, v{k - 1})" for k in range(1, depth + 1)]
    lines += [f"S[tx] = A[tx % 8] + T.float32({c})", f"if v{depth} < 100:",
              '    T.evaluate(T.tvm_storage_sync("shared"))', "if tx < 8:", "    B[tx] = S[63 - tx]"]
    return module(two("float32"), ['S = T.alloc_buffer((64,), "float32", scope="shared")',
                                   'for tx in T.thread_binding(64, thread="threadIdx.x"):']
                  + ["    " + x for x in lines])


def crossthread(depth, c):
    """Threads: rows that reduce beside each other, told apart by a chain."""
    lines = ["v0: T.int32 = ty"]
    lines += [f"v{k}: T.int32 = T.bitwise_and(v{k - 1}, v{k - 1})" for k in range(1, depth + 1)]
    lines += ['with T.block("c"):', f"    v = T.axis.spatial(8, v{depth})",
              "    k = T.axis.reduce(4, tx)", "    with T.init():", "        B[v] = T.float32(0)",
              f"    B[v] = B[v] + A[k] * T.float32({c})"]
    return module(two("float32"), ['for ty in T.thread_binding(2, thread="threadIdx.y"):',
                                   '    for tx in T.thread_binding(4, thread="threadIdx.x"):']
                  + ["        " + x for x in lines])


def inner(depth, c):
    """One expression: lets inside of one another."""
    text = f"v{depth} + v{depth}"
    lines = [f'v0 = T.var("int32")']
    lines = [f'v{k} = T.var("int32")' for k in range(depth + 1)]
    for k in range(depth, 0, -1):
        text = f"T.Let({text}, where={{v{k}: v{k - 1} + v{k - 1}}})"
    text = f"T.Let({text}, where={{v0: A[0] + {c}}})"
    return module(two("int32"), [*lines, f"B[0] = {text}"])


def relax(depth, c):
    lines = [f'gv0 = R.add(x, R.const({c}, "float32"))']
    lines += [f"gv{k} = R.add(gv{k - 1}, gv{k - 1})" for k in range(1, depth + 1)]
    body = "".join(f"            {x}\n" for x in [*lines, f"R.output(gv{depth})"])
    return ("# from tvm.script import ir as I\n# from tvm.script import relax as R\n\n@I.ir_module\n"
            "class Module:\n    @R.function\n    def main(x: R.Tensor((8,), dtype=\"float32\")) -> "
            "R.Tensor((8,), dtype=\"float32\"):\n        with R.dataflow():\n" + body +
            f"        return gv{depth}\n")


SHAPES = {f.__name__: f for f in [
    let_float, let_int, let_product, let_select, let_max, let_divide, let_bits, address,
    loop_address, indirect, condition, cell, cell_int, cell_loop, cells, scratch, stages, guards,
    size, uniform, crossthread, inner, relax]}


def main():
    folder, depth = Path(sys.argv[1]), int(sys.argv[2])
    for name, shape in SHAPES.items():
        # as deep as one expression may be
        deep = min(depth, 300) if name == "inner" else depth
        (folder / f"{name}.py").write_text(shape(deep, 1))
        (folder / f"{name}-other.py").write_text(shape(deep, 3))


if __name__ == "__main__":
    main()
