#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the prover assumes of the untuned side, held against runs: assumed.py
DIFFCHECK

An obligation about data that cannot be shown of the untuned module is taken
for given, since on other data that module has a fault (or computes what is
outside the class), and of such inputs nothing is claimed. So, for each
obligation of that kind, at each kind of place where an expression can stand:

- the module is proved equal to itself with its loop turned round, which shows
  that the obligation is assumed: nothing else keeps the data in bounds;
- a run on data against the obligation faults where the place is reached;
- where a guard keeps the untuned module from it, the run has no fault, and a
  tuned module that computes the same without the guard is not proved.

Every call of safety_oblige that may assume has a row here; one more call makes
this fail.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

PROVED = ("identical", "order-only", "algebraic", "precision")

# What is said of the obligation in the sources, the expression of data at
# element {i}, an integer against it, and one that is fine.
ROWS = (
    ("in_bounds", "A[X[{i}]]", 16, 3),
    ("in_bounds", "A[X[{i}]]", -1, 3),
    ("in_bounds", "A[X[{i}] + 2]", 14, 3),
    ("what", "A[T.bitwise_and(X[{i}] * 65536, 15)]", 40000, 3),
    ("what", "A[T.bitwise_and(X[{i}] * X[{i}], 15)]", 50000, 3),
    ("what", "T.if_then_else(X[{i}] * 65536 > 5, 1, 2)", 40000, 3),
    ("safety: a shift count is below the width",
     "A[T.bitwise_and(T.shift_left(1, X[{i}]), 15)]", 32, 3),
    ("safety: a shift count is below the width",
     "A[T.bitwise_and(T.shift_right(99, X[{i}]), 15)]", -1, 3),
    ("safety: data are clean",
     'A[T.bitwise_and(T.Cast("int32", T.shift_left(T.Cast("int8", 1), '
     'T.Cast("int8", X[{i}]))), 15)]', 8, 3),
    ("safety: data are clean",
     'T.if_then_else(T.Cast("int32", T.Cast("float32", X[{i}]) * '
     'T.float32(1e9)) > 5, 1, 2)', 3, 1),
    ("safety: divisor is not zero", "T.truncdiv(100, X[{i}])", 0, 3),
    ("safety: divisor is not zero", "T.floormod(100, X[{i}])", 0, 3),
    ("safety: assertion", None, 16, 3),
)
CALLS = 6  # of safety_oblige that may assume

HEAD = """from tvm.script import tir as T

@T.prim_func
def main(X: T.Buffer((8,), "int32"), Y: T.Buffer((8,), "int32"),
         A: T.Buffer((16,), "int32"), B: T.Buffer((8,), "int32")):
    for i in T.serial(8):
"""

# A place: its lines, whether the condition Y > 0 guards it, and lines that
# compute the same without a guard.
BARE = ("v: T.int32 = {e}",
        "B[{i}] = T.Select(Y[{i}] > 0, v, 0)")
PLACES = {
    "plain": (("B[{i}] = {e}",), False, None),
    "let": (("v: T.int32 = {e}", "B[{i}] = 1"), False, None),
    "nothing below": (("B[{i}] = 1", "if {e} > 0:", "    T.evaluate(0)"), False,
                      None),
    "nothing in the loop": (("B[{i}] = 1", "for j in range({e}, {e}):",
                             "    T.evaluate(0)"), False, None),
    "select": (("B[{i}] = T.Select(Y[{i}] > 0, {e}, 0)",), False, None),
    "and": (('B[{i}] = T.Cast("int32", T.And(Y[{i}] > 0, {e} > 0))',), False,
            None),
    "lazy": (("B[{i}] = T.if_then_else(Y[{i}] > 0, {e}, 0)",), True, BARE),
    "if": (("B[{i}] = 0", "if Y[{i}] > 0:", "    B[{i}] = {e}"), True, BARE),
}
ASSERTION = {
    "plain": (('assert X[{i}] < 16, "x"', "B[{i}] = X[{i}]"), False, None),
    "if": (("B[{i}] = X[{i}]", "if Y[{i}] > 0:",
            '    assert X[{i}] < 16, "x"'), True,
           ('assert X[{i}] < 16, "x"', "B[{i}] = X[{i}]")),
}


class Check:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, pathlib.Path(folder)
        self.bad = []

    def write(self, name, lines, expression, at):
        text = HEAD + "".join(
            "        " + line.format(i=at, e=(expression or "").format(i=at))
            + "\n" for line in lines)
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def ask(self, *args):
        done = subprocess.run([self.binary, *args], capture_output=True,
                              text=True, check=False, timeout=600)
        return done.returncode, (done.stdout + done.stderr)

    def proved(self, tuned, untuned):
        status, text = self.ask("prove", tuned, untuned)
        verdict = text.split(" ", 1)[0].lower()
        if status not in (0, 1, 4):
            self.bad.append(f"prove: exit {status}: {text}")
        return verdict in PROVED, verdict

    def faults(self, module, x, y):
        status, text = self.ask("run", module, "--assume", f"X:{x}..{x}",
                                "--assume", f"Y:{y}..{y}")
        if status not in (0, 1):
            self.bad.append(f"run: exit {status}: {text}")
        return status == 1

    def place(self, label, lines, guarded, bare, row):
        _, expression, against, fine = row
        untuned = self.write("untuned.py", lines, expression, "i")
        turned = self.write("turned.py", lines, expression, "7 - i")

        def want(what, said, wanted):
            if said != wanted:
                self.bad.append(f"{label}: {what}: {said}, wanted {wanted}")

        want("the loop turned round is proved", *(
            (self.proved(turned, untuned)[1], "identical")))
        want("a fault where it is reached", self.faults(untuned, against, 1),
             True)
        want("a fault where it is not reached",
             self.faults(untuned, against, 0), not guarded)
        want("a fault on data that are fine", self.faults(untuned, fine, 1),
             False)
        if bare is not None:
            tuned = self.write("bare.py", bare, expression, "i")
            want("without the guard: a fault of it alone",
                 self.faults(tuned, against, 0), True)
            want("without the guard: proved", self.proved(tuned, untuned)[0],
                 False)


def calls():
    """The calls of safety_oblige in the prover that may assume: what they
    say."""
    found = []
    for source in sorted(pathlib.Path("verifier").rglob("*.c")):
        text = source.read_text()
        for at in re.finditer(r"safety_oblige\(([^;{]*?)\)\s*(?:\)|\|\||\{|;)",
                              text):
            args = at.group(1)
            if "const struct form" in args:
                continue  # its definition
            word = re.search(r'"(safety: [^"]*)"|,\s*(what|in_bounds)\s*,',
                             args)
            may = "true" in args or "REACH_USE" in args
            if may:
                found.append(word.group(1) or word.group(2) if word else args)
    return found


def main():
    binary = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        check = Check(binary, folder)
        count = 0
        for row in ROWS:
            places = ASSERTION if row[1] is None else PLACES
            for name, (lines, guarded, bare) in places.items():
                check.place(f"{row[0]}: {row[1]}: {name}", lines, guarded,
                            bare, row)
                count += 1
        named = calls()
        if len(named) != CALLS:
            check.bad.append(f"{len(named)} calls of safety_oblige may assume"
                             f", {CALLS} are known here: {named}")
        check.bad += [f"no row for '{name}'"
                      for name in sorted(set(named) - {r[0] for r in ROWS})]
    for line in check.bad:
        print("FAILED:", line)
    print(f"assumed: {count} places")
    return 1 if check.bad else 0


if __name__ == "__main__":
    sys.exit(main())
