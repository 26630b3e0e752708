# SPDX-License-Identifier: Apache-2.0
#
# Does reproduce.py of a bundle say what is so, under TVM 0.27?
#
#   python check_bundle.py DIFFCHECK PAIRS DATA WORK
#
# Of faulty pairs of PAIRS (corpora/pairs) and DATA (tests/cli/data), one of each
# kind of finding: exit status 1, and with the untuned function on both sides 0; 2
# of those that cannot tell that a fault is not there, or need a GPU.
#
# Scripts run in processes forked from this one, since importing TVM takes longer
# than the rest: what they start with subprocess, too, and what they do to Python's
# hook for errors is obeyed as Python does. Two run as a user runs them.
# Exit 1 on a failure.

import io
import os
import re
import shutil
import signal
import subprocess
import sys
import types

TOLD, NOT_TOLD = (1, 0), (1, 2)
PAIRS = {
    # name: exit statuses of the pair and of the untuned one twice
    "argmax-last": TOLD,
    "circular-window-stale": TOLD,  # several outputs, integers
    "conv-pad-guard-off": TOLD,
    "truncdiv-not-floordiv": TOLD,
    "gemm-tiled-short-predicate": TOLD,
    "i64-narrowed": TOLD,  # scalars
    "max-identity-zero": TOLD,
    "softmax-no-max": TOLD,  # finite or not
    "split-reduction-lost-term": TOLD,
    "symbolic-tail-lost": TOLD,  # a size
    "uint8-narrow-sum": TOLD,
    "two-functions-second-wrong": TOLD,
    "rank0-wrong": TOLD,
    "missing-init-alloc": NOT_TOLD,  # undefined
    "gather-off": NOT_TOLD,  # outside of an array
    "symbolic-tail-oob": NOT_TOLD,
    "div-by-zero-only-tuned": (2, 2),  # LLVM leaves it out: no effect
    "barrier-divergent": (3, 3),  # a GPU kernel
}
HALF = """@T.prim_func(s_tir=True)
def main(X: T.Buffer((8,), "bfloat16"), n: T.int32, Y: T.Buffer((8,), "bfloat16")):
    for i in range(8):
        Y[i] = T.if_then_else(n > 2, X[i] %s, X[i])
"""
# Enclosures: 3 more than the sum of 4000 numbers that round.
ROUNDED = """@T.prim_func(s_tir=True)
def main(X: T.Buffer((4000,), "float32"), Y: T.Buffer((1,), "float32")):
    Y[0] = T.exp(X[0]) * T.float32(%s)
"""
RELAX = """@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def shift(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        for i in range(8):
            with T.sblock("B"):
                vi = T.axis.spatial(8, i)
                B[vi] = A[vi] + T.float32(%s)

    @R.function
    def main(x: R.Tensor((8,), dtype="float32")) -> R.Tensor((8,), dtype="float32"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.shift, (x,), out_sinfo=R.Tensor((8,), dtype="float32"))
            R.output(a)
        return a
"""
# Faults without effect; the tuned one adds in another order.
REORDERED = """@T.prim_func(s_tir=True)
def main(X: T.Buffer((8,), "float32"), Y: T.Buffer((8,), "float32")):
    for i in range(8):
        x: T.let[T.int32] = T.Div(5, i - %s)
        Y[i] = %s
"""
# Names that the script uses itself.
NAMES = """@T.prim_func(s_tir=True)
def main(hasattr: T.Buffer((4,), "int32"), np: T.Buffer((4,), "int32"), n: T.int32,
         tvm: T.Buffer((4,), "int32")):
    for i in range(4):
        tvm[i] = hasattr[i] + np[i] + n + %s
"""
# An undefined value that changes no bit, beside a sum in another order.
LUCKY = """@T.prim_func(s_tir=True)
def main(X: T.Buffer((8,), "float32"), Y: T.Buffer((8,), "float32")):
    S = T.alloc_buffer((4096,), "float32")
    for i in range(%s):
        S[i] = X[0]
    for i in range(8):
        Y[i] = S[4088 + i] * T.float32(1e-30) + X[i] + T.float32(1e8) %s
"""
# One that changes a sum that rounds.
UNLUCKY = """@T.prim_func(s_tir=True)
def main(X: T.Buffer((8,), "float32"), Y: T.Buffer((8,), "float32")):
    S = T.alloc_buffer((4096,), "float32")
    for i in range(%s):
        S[i] = X[0]
    for i in range(8):
        Y[i] = S[4088 + i] + T.exp(X[i])
"""
RACE = """@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    B[0] = A[0]
    for i in T.%s(1, 64):
        B[i] = B[i - 1] + A[i]
"""
# One side takes the size, the other has it from the shapes.
SIZED = """@T.prim_func(s_tir=True)
def main(a: T.handle, b: T.handle, n: T.int32):
    A = T.match_buffer(a, (n,), "int32")
    B = T.match_buffer(b, (n,), "int32")
    for i in range(n):
        B[i] = A[i] + 1
"""
TOLD_SIZE = """@T.prim_func(s_tir=True)
def main(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "int32")
    B = T.match_buffer(b, (n,), "int32")
    for i in range(n):
        B[i] = A[i] + 2
"""
RETURNS = """@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "float32"), n: T.int32) -> T.float32:
    T.ret(A[0] + A[%s])
"""
WRITTEN = {
    "lucky": (LUCKY % ("4000", "- T.float32(1e8) + X[i]"),
              LUCKY % ("4096", "+ X[i] - T.float32(1e8)"), (2, 2)),
    "unlucky": (UNLUCKY % "4000", UNLUCKY % "4096", NOT_TOLD),
    "race": (RACE % "parallel", RACE % "serial", NOT_TOLD),
    "size": (TOLD_SIZE, SIZED, TOLD),
    "size-of-tuned": (SIZED, TOLD_SIZE, TOLD),
    "returns": (RETURNS % "2", RETURNS % "1", TOLD),
    "relax": (RELAX % "2", RELAX % "1", TOLD),
    "bfloat16": (HALF % "- X[i]", HALF % "+ X[i]", TOLD),
    "names": (NAMES % "1", NAMES % "0", TOLD),
    "reordered": (
        REORDERED % ("3", "X[i] + T.float32(1e8) - T.float32(1e8) + T.float32(1)"),
        REORDERED % ("9", "X[i] + T.float32(1e8) + T.float32(1) - T.float32(1e8)"),
        (2, 2)),
    "enclosure": (ROUNDED % "3.5", ROUNDED % "0.5", TOLD),
}


class Failed(Exception):
    pass


# ---- a script, forked ----------------------------------------------------------


def strip(trace, path):
    """What Python would hand to the hook: from the script's own frame on."""
    while trace and trace.tb_frame.f_code.co_filename != path:
        trace = trace.tb_next
    return trace


def execute(path, words):
    """The exit status of the script, in this process, which ends with it."""
    sys.argv = [path] + words
    sys.path[0] = os.path.dirname(path)
    sys.excepthook = sys.__excepthook__
    subprocess.run = run_child
    own = types.ModuleType("__main__")
    own.__file__ = path
    sys.modules["__main__"] = own  # in which TVM's parser looks for classes
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        exec(compile(text, path, "exec"), own.__dict__)  # pylint: disable=exec-used
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:  # pylint: disable=broad-except
        kind, why, trace = sys.exc_info()
        sys.excepthook(kind, why, strip(trace, path))
        return 1
    return 0


def fork(path, words):
    """(exit status, text); minus the signal that ended it."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(write, 1)
        os.dup2(write, 2)
        sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False),
                                      encoding="utf-8", write_through=True)
        status = 70
        try:
            status = execute(path, words)
        finally:
            os._exit(status & 255)
    os.close(write)
    with os.fdopen(read, encoding="utf-8", errors="replace") as file:
        text = file.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return -os.WTERMSIG(status), text
    return os.WEXITSTATUS(status), text


def run_child(words, env=None, **_):
    """subprocess.run of a script that runs itself. Another environment is one that
    libraries look at when they start."""
    if words[0] != sys.executable:
        raise Failed("%s starts %s" % (sys.argv[0], words[0]))
    if env:
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True,
                              env=env) as child:
            text = child.communicate()[0]
        return subprocess.CompletedProcess(words, child.returncode, text, "")
    status, text = fork(words[1], words[2:])
    return subprocess.CompletedProcess(words, status, text, "")


# ---- bundles -------------------------------------------------------------------


def bundle(binary, sides, folder, options=()):
    """Folders of the findings, one or several; none where there is none."""
    shutil.rmtree(folder, ignore_errors=True)
    done = subprocess.run([binary, "bundle"] + sides + ["--out", folder] +
                          list(options), capture_output=True, text=True,
                          check=False)
    if os.path.exists(os.path.join(folder, "finding.json")):
        return [folder], done
    if os.path.exists(os.path.join(folder, "findings.json")):
        return sorted(os.path.join(folder, name) for name in os.listdir(folder)
                      if name != "findings.json"), done
    return [], done


def twice(folder):
    """The same script with the untuned function on both sides; its path."""
    with open(os.path.join(folder, "reproduce.py"), encoding="utf-8") as file:
        text = file.read()
    other = text
    pick = r", lambda a: (?:\[(?:[^][]|\[\d+\])*\]|a)"
    theirs = re.search("run\\(untuned(%s)" % pick, text)
    if theirs:  # how the function is called stays with it
        other = re.sub("(run\\(tuned)%s" % pick,
                       lambda m: m.group(1) + theirs.group(1), other)
    for before, after in (("run(tuned", "run(untuned"),
                          ('child("tuned"', 'child("untuned"'),
                          ("load_json(tuned)", "load_json(untuned)")):
        other = other.replace(before, after)
    path = os.path.join(folder, "twice.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(other)
    return path, other != text


def sides_of(folder):
    out = []
    for side in ("tuned", "untuned"):
        names = [name for name in os.listdir(folder)
                 if name in (side + ".py", side + ".json")]
        out += [os.path.join(folder, name) for name in sorted(names)[:1]]
    return out


def options_of(folder):
    """The words behind "options" in the pair's file `expect`."""
    path = os.path.join(folder, "expect")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file]
    return [word for line in lines if line[:1] == ["options"]
            for word in line[1:]]


def expect(name, what, path, want):
    status, text = fork(path, [])
    if status != want:
        raise Failed("%s: %s: exit status %d, wanted %d\n%s" %
                     (name, what, status, want, text))


def check(name, folder, want):
    expect(name, "the pair", os.path.join(folder, "reproduce.py"), want[0])
    path, changed = twice(folder)
    if want[0] == 1 and not changed:
        raise Failed("%s: the script has no side to change" % name)
    expect(name, "the untuned one twice", path, want[1])
    print("%s: as expected" % name, flush=True)


def check_alone(folder):
    """As a user runs them: by sh, and by Python."""
    environment = dict(os.environ, PYTHON=sys.executable, PATH="/usr/bin:/bin")
    done = subprocess.run(["sh", os.path.join(folder, "reproduce.sh")],
                          capture_output=True, text=True, check=False,
                          env=environment, cwd="/")
    if done.returncode != 1 or "should be" not in done.stdout:
        raise Failed("reproduce.sh: exit status %d\n%s%s" %
                     (done.returncode, done.stdout, done.stderr))
    done = subprocess.run([sys.executable, "-O", twice(folder)[0]],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed("the untuned one twice, alone: exit status %d\n%s%s" %
                     (done.returncode, done.stdout, done.stderr))
    print("as a user runs it: as expected", flush=True)


def check_all(binary, pairs, data, work):
    for name, want in PAIRS.items():
        source = os.path.join(pairs, name)
        found, done = bundle(binary, sides_of(source),
                             os.path.join(work, name), options_of(source))
        if len(found) != 1:
            raise Failed("%s: %d findings: %s%s" % (name, len(found),
                                                    done.stdout, done.stderr))
        check(name, found[0], want)
    for name, (tuned, untuned, want) in WRITTEN.items():
        paths = []
        for side, text in (("tuned", tuned), ("untuned", untuned)):
            paths.append(os.path.join(work, "%s_%s.py" % (name, side)))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(text)
        found, _ = bundle(binary, paths, os.path.join(work, name))
        check(name, found[0], want)
    found, _ = bundle(binary, [os.path.join(data, "matmul_short.py"),
                               os.path.join(data, "matmul.py")],
                      os.path.join(work, "alone"))
    check_alone(found[0])


def main(argv):
    binary, pairs, data, work = argv[1:]
    import tvm  # noqa: F401 pylint: disable=unused-import
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        check_all(os.path.abspath(binary), pairs, data, os.path.abspath(work))
    except Failed as why:
        print("FAILED:", why)
        return 1
    shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
