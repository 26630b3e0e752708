# SPDX-License-Identifier: Apache-2.0
"""The Python package, with the program that $DIFFCHECK names or the package
has. The part with TVM is skipped where there is none, and may not be skipped
with --with-tvm."""

import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest

import diffcheck

try:
    import numpy
except ImportError:
    numpy = None

TUNED = "corpora/relax294/tuned.py"
UNTUNED = "corpora/relax294/untuned.py"

MODULE = """# from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((n,), "int32"), B: T.Buffer((n,), "int32")):
        for i in range(n):
            with T.block("b"):
                v = T.axis.spatial(n, i)
                B[v] = A[v] + add
"""


def module(add, n=4):
    return MODULE.replace("(n", "(%d" % n).replace("add", str(add))



class Check(unittest.TestCase):
    def test_paths(self):
        result = diffcheck.check(TUNED, UNTUNED)
        self.assertEqual(result.verdict, "order-only")
        self.assertEqual(result.exit_status, 0)
        self.assertEqual(result.report["schema"], 1)
        self.assertEqual(result.report["pairs"][0]["function"], "conv2d")
        self.assertIn("order-only", result.text.lower())
        self.assertIn("order-only", repr(result))

    def test_text_and_json(self):
        json_text = subprocess.run(
            [diffcheck.program(), "show", "--json", "/dev/stdin"],
            input=module(1),
            stdout=subprocess.PIPE,
            universal_newlines=True,
            check=True,
        ).stdout
        json.loads(json_text)
        for operand in (module(1), module(1).encode(), json_text):
            result = diffcheck.check(operand, module(1))
            self.assertEqual(result.verdict, "identical")
            result = diffcheck.check(operand, module(2))
            self.assertEqual(result.verdict, "different")
            self.assertEqual(result.exit_status, 1)

    def test_options(self):
        result = diffcheck.check(TUNED, UNTUNED, no_proof=True, budget="1M", seed=3)
        self.assertIn("--budget 1000000", result.report["pairs"][0]["command"])
        self.assertIn("--seed 3", result.report["pairs"][0]["command"])
        self.assertEqual(
            diffcheck.check(module(2), module(1), allow="different").exit_status, 0
        )
        result = diffcheck.check(
            module(1), module(1), assume={"A": "0..9"}, cross_check=False, shape=None
        )
        self.assertEqual(result.verdict, "identical")
        for bad in ({"budgte": 1}, {"budget": "x"}, {"shape": ["n"]}):
            with self.assertRaises(diffcheck.Error) as caught:
                diffcheck.check(module(1), module(1), **bad)
            self.assertEqual(caught.exception.exit_status, 2)
            self.assertIn("--", str(caught.exception))
        for name in ("format", "color", "help"):
            with self.assertRaises(TypeError):
                diffcheck.check(module(1), module(1), **{name: True})

    def test_reserved(self):
        for name in ("format", "format_", "color", "help_"):
            with self.assertRaises(TypeError):
                diffcheck.check(module(1), module(1), **{name: "junit"})
        self.assertEqual(
            diffcheck.check(module(1), module(1), save=None).verdict, "identical"
        )

    def test_what_cannot_be_read(self):
        with self.assertRaises(diffcheck.Error) as caught:
            diffcheck.check("LICENSE", UNTUNED)
        self.assertEqual(caught.exception.exit_status, 2)
        self.assertIn("LICENSE", str(caught.exception))
        with self.assertRaises(diffcheck.Error):
            diffcheck.check(TUNED, "no/such/file.json")
        with self.assertRaises(TypeError):
            diffcheck.check(TUNED, 17)

    def test_undecided(self):
        result = diffcheck.check(TUNED, UNTUNED, no_proof=True, budget=1)
        self.assertEqual(result.verdict, "unknown")
        self.assertEqual(result.exit_status, 4)
        with self.assertRaises(AssertionError):
            diffcheck.assert_equivalent(TUNED, UNTUNED, no_proof=True, budget=1)
        diffcheck.assert_equivalent(
            TUNED, UNTUNED, allow=["unknown"], no_proof=True, budget=1
        )

    def test_assert_equivalent(self):
        diffcheck.assert_equivalent(TUNED, UNTUNED)
        with self.assertRaises(AssertionError) as caught:
            diffcheck.assert_equivalent(module(2), module(1))
        self.assertIn("different", str(caught.exception).lower())
        self.assertRegex(str(caught.exception), r"B\[0\]")
        result = diffcheck.assert_equivalent(
            module(2), module(1), allow=["different", "precision"]
        )
        self.assertEqual(result.verdict, "different")

    def test_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            keep = os.path.join(folder, "kept")
            result = diffcheck.check(module(2), module(1), keep=keep)
            self.assertEqual(
                sorted(os.listdir(keep)),
                ["report.json", "saved", "tuned.py", "untuned.py"],
            )
            command = result.report["pairs"][0]["command"].split()
            again = subprocess.run(
                [diffcheck.program()] + command[1:], stdout=subprocess.PIPE, check=False
            )
            self.assertEqual(again.returncode, 1)

    def test_counterexamples(self):
        result = diffcheck.check(module(2), module(1))
        if numpy is None:
            self.assertIsNone(result.counterexamples)
            return
        (found,) = result.counterexamples
        self.assertEqual(found.function, "f")
        self.assertEqual(found.finding["rule"], "different/value")
        # of each side by hand: what is added is all that is not the same
        add = found.tuned["B"] - found.inputs["A"]
        self.assertTrue((add == 2).all())
        self.assertTrue((found.untuned["B"] == found.inputs["A"] + 1).all())
        self.assertEqual(diffcheck.check(module(1), module(1)).counterexamples, [])
        with tempfile.TemporaryDirectory() as folder:
            save = os.path.join(folder, "mine")
            (found,) = diffcheck.check(
                module(2), module(1), save=save
            ).counterexamples
            self.assertEqual(found.inputs["A"].shape, (4,))
            self.assertTrue(os.path.exists(os.path.join(save, "repro.py")))

    def test_several(self):
        if numpy is None:
            self.skipTest("no NumPy")
        two = module(1) + module(1).split("class Module:\n")[1].replace("f(", "g(")
        other = two.replace("+ 1", "+ 3")
        found = diffcheck.check(other, two).counterexamples
        self.assertEqual(sorted(c.function for c in found), ["f", "g"])

    def test_nothing_left(self):
        with tempfile.TemporaryDirectory() as folder:
            was, tempfile.tempdir = tempfile.tempdir, folder
            try:
                diffcheck.check(module(2), module(1))
                with self.assertRaises(diffcheck.Error):
                    diffcheck.check(module(2), "x\ny")
                self.assertEqual(os.listdir(folder), [])
            finally:
                tempfile.tempdir = was

    def test_module_runs(self):
        done = subprocess.run(
            [sys.executable, "-m", "diffcheck", "--version"],
            stdout=subprocess.PIPE,
            universal_newlines=True,
            check=True,
        )
        self.assertRegex(done.stdout, r"^diffcheck \d+\.\d+")


@unittest.skipIf(
    os.path.exists(os.path.join(os.path.dirname(diffcheck.__file__), "bin")),
    "this package has a program of its own",
)
class Program(unittest.TestCase):
    def setUp(self):
        self.was = dict(os.environ)

    def tearDown(self):
        os.environ.clear()
        os.environ.update(self.was)

    def test_none(self):
        os.environ.pop("DIFFCHECK", None)
        os.environ["PATH"] = "/nowhere"
        with self.assertRaises(FileNotFoundError):
            diffcheck.check(TUNED, UNTUNED)

    def script(self, folder, text):
        path = os.path.join(folder, "program")
        with open(path, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, stat.S_IRWXU)
        os.environ["DIFFCHECK"] = path

    def test_broken(self):
        with tempfile.TemporaryDirectory() as folder:
            self.script(folder, "kill -9 $$\n")
            with self.assertRaises(diffcheck.Error) as caught:
                diffcheck.check(TUNED, UNTUNED)
            self.assertEqual(caught.exception.exit_status, -9)
            self.script(folder, "echo a bug >&2; exit 3\n")
            with self.assertRaises(diffcheck.Error) as caught:
                diffcheck.check(TUNED, UNTUNED)
            self.assertEqual(str(caught.exception), "a bug")


try:
    import tvm
except ImportError:
    tvm = None


@unittest.skipUnless(tvm, "skipped: no TVM in this Python")
class WithTvm(unittest.TestCase):
    def load(self, text):
        """The module as TVM has it in memory, through diffcheck's JSON."""
        era = {"0.25": "D", "0.26": "E"}.get(tvm.__version__[:4], "F")
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(text)
            file.flush()
            saved = subprocess.run(
                [diffcheck.program(), "show", "--json", "--era", era, file.name],
                stdout=subprocess.PIPE,
                universal_newlines=True,
                check=True,
            ).stdout
        return tvm.ir.load_json(saved)

    def test_modules(self):
        one, two = self.load(module(1)), self.load(module(2))
        self.assertIsInstance(one, tvm.IRModule)
        self.assertEqual(diffcheck.check(one, one).verdict, "identical")
        self.assertEqual(diffcheck.check(two, one).verdict, "different")
        diffcheck.assert_equivalent(one, module(1))
        with self.assertRaises(AssertionError):
            diffcheck.assert_equivalent(two, one)

    def test_functions(self):
        one, two = self.load(module(1)), self.load(module(2))
        f, g = one["f"], two["f"]
        result = diffcheck.check(f, f)
        self.assertEqual(result.verdict, "identical")
        result = diffcheck.check(g, f)
        self.assertEqual(result.verdict, "different")
        self.assertEqual(len(result.report["pairs"]), 1)


if __name__ == "__main__":
    if "--with-tvm" in sys.argv:
        sys.argv.remove("--with-tvm")
        if tvm is None:
            sys.exit("no TVM in this Python")
    unittest.main(verbosity=2)
