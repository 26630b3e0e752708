# SPDX-License-Identifier: Apache-2.0
"""deep.py FOLDER DEPTH: modules of so many levels, of each kind that nests; and
NAME-other.py, the same with another constant."""
import sys

HEAD = """# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((8,), "int32"), A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
"""


def lines(depth, opening, inner):
    """Statements one in the other; the innermost stands alone."""
    out = [" " * (8 + i) + opening(i) for i in range(depth)]
    return "\n".join(out + [" " * (8 + depth) + inner])


def shapes(n, c):
    yield "loops", lines(n, lambda i: f"for i{i} in range({8 if i == 0 else 1}):",
                         f"B[i0] = A[i0] + T.float32({c})")
    yield "ifs", "        for i0 in range(8):\n" + "\n".join(
        " " * (9 + i) + f"if X[i0] < {i + 100}:" for i in range(n)) + \
        "\n" + " " * (9 + n) + f"B[i0] = A[i0] + T.float32({c})"
    yield "sum", "        for i0 in range(8):\n            B[i0] = " + \
        "(A[i0] + " * n + f"T.float32({c})" + ")" * n
    yield "minus", "        for i0 in range(8):\n            B[i0] = A[i0] * T.float32({})".format(c) + \
        " - A[i0]" * n
    yield "selects", "        for i0 in range(8):\n            B[i0] = " + \
        "T.if_then_else(X[i0] < 5, A[i0], " * n + f"T.float32({c})" + ")" * n
    yield "index", "        for i0 in range(8):\n            B[i0] = A[" + \
        "T.max(X[i0], " * n + "0" + ")" * n + f" % 8] + T.float32({c})"
    yield "calls", "        for i0 in range(8):\n            B[i0] = " + \
        "T.sqrt(" * n + f"A[i0] + T.float32({c})" + ")" * n
    yield "lets", lines(n, lambda i: f"with T.LetStmt({'A[0]' if i == 0 else f'v{i - 1} + A[0]'}, var=T.Var('v{i}', 'float32')) as v{i}:",
                        f"B[0] = v{n - 1} + T.float32({c})")
    yield "blocks", lines(n, lambda i: f'with T.block("b{i}"):',
                          f"B[0] = A[0] + T.float32({c})")
    yield "attrs", lines(n, lambda i: f'with T.attr(0, "pragma_x", {i}):',
                         f"B[0] = A[0] + T.float32({c})")


def main():
    folder, depth = sys.argv[1], int(sys.argv[2])
    for which, c in (("", 1), ("-other", 2)):
        for name, body in shapes(depth, c):
            with open(f"{folder}/{name}{which}.py", "w", encoding="utf-8") as f:
                f.write(HEAD + body + "\n")


main()
