# SPDX-License-Identifier: Apache-2.0
"""Whether a tuned TVM kernel still computes what the untuned one did.

    import diffcheck

    result = diffcheck.check(tuned, untuned)
    print(result.verdict)      # "order-only"
    print(result.text)         # the report for people

    diffcheck.assert_equivalent(tuned, untuned)      # in a test

There is no logic here: the program `diffcheck` is run, and what it says is
handed on. Operands are modules or functions of an installed TVM, paths, or
the text of a module (TVM's JSON or TVMScript). Options are those of
`diffcheck compare`, with '_' for '-': `no_proof=True`, `budget="10M"`,
`shape={"n": 17}`, `assume={"indices": "0..9"}`, `extern=["a.json", "b.json"]`.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

__all__ = ["Counterexample", "Error", "Result", "assert_equivalent", "check", "program"]

# As diffcheck's exit statuses (docs/verdicts.md).
_FINDING, _USAGE, _INTERNAL = 1, 2, 3


class Error(RuntimeError):
    """Nothing was compared: wrong options, a module that cannot be read, or an
    internal error. The text is diffcheck's message, `exit_status` 2 or 3, or
    the negative number of the signal that ended the program."""

    def __init__(self, message, exit_status):
        super().__init__(message)
        self.exit_status = exit_status


class Counterexample:
    """An input that shows a finding, as arrays of NumPy by name of parameter.

    function   the function of the untuned module
    finding    finding.json as objects of Python (diff/saved/README.md)
    inputs     what both sides were given
    tuned      what the tuned side gave; empty where it faults
    untuned    what the untuned side gave

    Types that NumPy lacks, as bfloat16, are unsigned integers of their width.
    """

    def __init__(self, folder, load):
        with open(os.path.join(folder, "finding.json"), encoding="utf-8") as file:
            self.finding = json.load(file)
        self.function = self.finding["function"]
        self.inputs, self.tuned, self.untuned = {}, {}, {}
        named = self.finding["parameters"] + self.finding.get("outputs", [])
        for parameter in named:
            for key, arrays in (
                ("in", self.inputs),
                ("tuned", self.tuned),
                ("untuned", self.untuned),
            ):
                if parameter.get(key):
                    path = os.path.join(folder, *parameter[key].split("/"))
                    arrays[parameter["name"]] = load(path, allow_pickle=False)

    def __repr__(self):
        return "<diffcheck.Counterexample of %s>" % self.function


def _counterexamples(folder):
    """Those of a folder that --save wrote; None where NumPy is not installed."""
    try:
        import numpy
    except ImportError:
        return None
    if os.path.exists(os.path.join(folder, "finding.json")):
        return [Counterexample(folder, numpy.load)]
    listed = os.path.join(folder, "findings.json")
    if not os.path.exists(listed):
        return []
    with open(listed, encoding="utf-8") as file:
        names = json.load(file)["findings"]
    return [Counterexample(os.path.join(folder, n), numpy.load) for n in names]


class Result:
    """What came of a comparison.

    verdict      the worst of all pairs of functions, "different"
    exit_status  0: nothing found, 1: a finding, 4: undecided
    report       the JSON report as objects of Python (docs/verdicts.md)
    text         the report for people
    counterexamples   a list of Counterexample; None where NumPy is not installed
    """

    def __init__(self, report, text, exit_status, counterexamples):
        self.verdict = report["verdict"]
        self.exit_status = exit_status
        self.report = report
        self.text = text
        self.counterexamples = counterexamples

    def __repr__(self):
        return "<diffcheck.Result %s, exit status %d>" % (
            self.verdict,
            self.exit_status,
        )


def program():
    """The path of the program: of this package, else $DIFFCHECK, else the one
    that PATH has."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "diffcheck")
    if os.path.exists(own):
        return own
    found = os.environ.get("DIFFCHECK") or shutil.which("diffcheck")
    if not found:
        raise FileNotFoundError(
            "no program 'diffcheck' in this package or in PATH; "
            "$DIFFCHECK may name one"
        )
    return found


def _is_of_tvm(operand):
    return any(
        base.__module__.split(".")[0] in ("tvm", "tvm_ffi")
        for base in type(operand).__mro__
    )


def _json_of_tvm(operand):
    """The JSON that TVM saves. A function becomes a module of it alone: under
    its global_symbol, as TVM itself names it."""
    import tvm

    if not isinstance(operand, tvm.IRModule):
        operand = tvm.IRModule.from_expr(operand)
    return tvm.ir.save_json(operand)


def _text_of(operand):
    """The text of a module in memory, or None for what is a path."""
    if isinstance(operand, os.PathLike):
        return None
    if isinstance(operand, bytes):
        return operand
    if isinstance(operand, str):
        if operand.lstrip().startswith("{") or "\n" in operand:
            return operand.encode("utf-8", "surrogateescape")
        return None
    if _is_of_tvm(operand):
        return _json_of_tvm(operand).encode("utf-8")
    raise TypeError(
        "a module is one of TVM's, a path, or text; not %s" % type(operand).__name__
    )


def _operand(operand, side, folder):
    """A path for the command line."""
    text = _text_of(operand)
    if text is None:
        return os.fspath(operand)
    end = "json" if text.lstrip().startswith(b"{") else "py"
    path = os.path.join(folder, "%s.%s" % (side, end))
    with open(path, "wb") as file:
        file.write(text)
    return path


# Between name and value where an option takes such pairs.
_PAIRS = {"assume": ":"}


def _words(name, value):
    """The option as words of the command line."""
    name = name.rstrip("_")
    option = "--" + name.replace("_", "-")
    if name in ("format", "color", "help", "version"):
        raise TypeError("%s is not for check()" % option)
    if value is None or value is False:
        return []
    if value is True:
        return [option]
    if isinstance(value, dict):
        mark = _PAIRS.get(name, "=")
        value = ["%s%s%s" % (key, mark, value[key]) for key in value]
    elif not isinstance(value, (list, tuple)):
        value = [value]
    return [
        "%s=%s" % (option, os.fspath(v) if isinstance(v, os.PathLike) else v)
        for v in value
    ]


def _run(tuned, untuned, options, folder):
    report = os.path.join(folder, "report.json")
    command = [program(), "compare"]
    options = dict(options)
    if options.get("save") is None:
        options["save"] = os.path.join(folder, "saved")
        shutil.rmtree(options["save"], ignore_errors=True)  # of a run before
    saved = os.fspath(options["save"])
    for name in options:
        command += _words(name, options[name])
    command += ["--color=never", "--format=text", "--format=json=" + report, "--"]
    command += [
        _operand(tuned, "tuned", folder),
        _operand(untuned, "untuned", folder),
    ]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )
    text = done.stdout.decode("utf-8", "replace")
    messages = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode in (_USAGE, _INTERNAL) or done.returncode < 0:
        raise Error(
            messages or "diffcheck ended with status %d" % done.returncode,
            done.returncode,
        )
    with open(report, encoding="utf-8") as file:
        found = _counterexamples(saved) if done.returncode == _FINDING else []
        return Result(json.load(file), text, done.returncode, found)


def check(tuned, untuned, *, keep=None, **options):
    """Compares and returns a Result; raises Error where nothing was compared.

    Modules in memory are written to files for the program, which are removed
    afterwards, and then the report's command to reproduce a finding names
    files that are no more; `keep` is a folder where they stay instead.
    """
    if keep is not None:
        os.makedirs(keep, exist_ok=True)
        return _run(tuned, untuned, options, os.path.abspath(keep))
    with tempfile.TemporaryDirectory(prefix="diffcheck-") as folder:
        return _run(tuned, untuned, options, folder)


def assert_equivalent(tuned, untuned, *, allow=(), **options):
    """Fails, with the report, where the comparison finds something or cannot
    decide. `allow` has verdicts and outcomes that are no failure:
    `allow=["precision"]`, or "unknown" for what is undecided."""
    __tracebackhide__ = True  # pytest shows the caller's line
    if allow:
        options["allow"] = allow if isinstance(allow, str) else ",".join(allow)
    result = check(tuned, untuned, **options)
    if result.exit_status != 0:
        raise AssertionError("\n" + result.text.rstrip("\n"))
    return result


def main():
    """The command `diffcheck`: becomes the program."""
    path = program()
    os.execv(path, [path] + sys.argv[1:])
