# SPDX-License-Identifier: Apache-2.0
#
# Do saved counterexamples show in an installed TVM, with diffcheck's values?
#
#   python check_repro.py VERSION DIFFCHECK DATA SHARED WORK
#
# Small pairs, one of each kind of finding, under every release: the exit status of
# repro.py, and that both values are TVM's bit for bit. What repro.py says is tried
# the other way, too: a folder whose tuned module is right exits 0, one whose values
# are not those of its modules says that they differ.
#
# Under 0.27 also faulty pairs of ../shared, if it is there: at least 40 on which no
# GPU is needed and both sides run must give diffcheck's values bit for bit. Where TVM
# builds the same fault into the untuned module, the pair is in SAME_FAULT.
# Exit 1 on a failure.

import glob
import json
import os
import shutil
import subprocess
import sys

HALF = """@T.prim_func(s_tir=True)
def main(X: T.Buffer((8,), "bfloat16"), n: T.int32, Y: T.Buffer((8,), "bfloat16")):
    for i in range(8):
        Y[i] = T.if_then_else(n > 2, X[i] %s, X[i])
"""
HOLE = """@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    S = T.alloc_buffer((8,), "float32")
    for i in range(%d):
        S[i] = A[i]
    for i in range(8):
        B[i] = S[i]
"""
# Of a sum over a race: any order of whole iterations gives it, too.
RACE = """@T.prim_func(s_tir=True)
def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
    S = T.alloc_buffer((1,), "int32")
    for i in T.%s(64):
        S[0] = A[i]
        B[i] = S[0]
"""
LATER = """@T.prim_func(s_tir=True)
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
TOLD = """@T.prim_func(s_tir=True)
def main(a: T.handle, b: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "int32")
    B = T.match_buffer(b, (n,), "int32")
    for i in range(n):
        B[i] = A[i] + 2
"""
RETURNS = """@T.prim_func(s_tir=True)
def main(A: T.Buffer((4,), "%s"), n: T.int32, B: T.Buffer((4,), "%s")) -> T.%s:
    for i in range(4):
        B[i] = A[i]
    T.ret(A[0] + A[%s])
"""
# The word is what a GPU kernel is known by.
NAMED = """@T.prim_func(s_tir=True)
def main(threadIdx: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in range(8):
        B[i] = threadIdx[i] + T.float32(%d)
"""
GPU = """@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
    for i in T.thread_binding(8, thread="threadIdx.x"):
        B[i] = A[i] + T.float32(%d)
"""
# kind: tuned, untuned, rule, exit status, values that are the same
PAIRS = {
    "value": ("matmul_short.py", "matmul.py", "different/value", 1, 2),
    "bfloat16": (HALF % "- X[i]", HALF % "+ X[i]", "different/value", 1, 2),
    "undefined": (HOLE % 6, HOLE % 8, "unsafe/uninitialised", 1, 1),
    "outside": ("matmul_outside.py", "matmul.py", "unsafe/out-of-bounds", 1,
                0),
    "sizes": ("sized_tail.py", "sized.py", "different/value", 1, 2),
    "GPU": (GPU % 1, GPU % 2, "different/value", 3, 0),
    "race": (RACE % "parallel", RACE % "serial", "unsafe/race", 1, 0),
    "order": (LATER % "parallel", LATER % "serial", "unsafe/race", 1, 0),
    "size": (TOLD, SIZED, "different/value", 1, 2),
    "size-of-tuned": (SIZED, TOLD, "different/value", 1, 2),
    "returns": (RETURNS % ("int32", "int32", "int32", "1"),
                RETURNS % ("int32", "int32", "int32", "2"),
                "different/value", 1, 2),
    "returns-float": (RETURNS % ("float32", "float32", "float32", "1"),
                      RETURNS % ("float32", "float32", "float32", "2"),
                      "different/value", 1, 2),
}
SAME_FAULT = {"flatten-double-rotation", "vectorize-scalarised-scratch",
              "int_max_plus_c_int32"}
WANTED = 40


class Failed(Exception):
    pass


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True,
                          check=False, **more)


def save(binary, tuned, untuned, folder):
    shutil.rmtree(folder, ignore_errors=True)
    done = run([binary, tuned, untuned, "--save", folder])
    if not os.path.exists(os.path.join(folder, "finding.json")):
        raise Failed("nothing is saved: %s%s" % (done.stdout, done.stderr))
    return done


def repro(folder):
    """(exit status, text, values that are the same, that differ)"""
    done = run([sys.executable, os.path.join(folder, "repro.py")])
    return (done.returncode, done.stdout + done.stderr,
            done.stdout.count(": the same"), done.stdout.count(": differs"))


def expect(what, got, status, same, differs=0):
    if (got[0], got[2], got[3]) != (status, same, differs):
        raise Failed("%s: exit status %d, wanted %d; %d values the same, "
                     "wanted %d; %d differ, wanted %d\n%s" %
                     (what, got[0], status, got[2], same, got[3], differs,
                      got[1]))


def change(folder, how):
    path = os.path.join(folder, "finding.json")
    with open(path, encoding="utf-8") as file:
        finding = json.load(file)
    how(finding)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(finding, file)


def source(data, work, name, text):
    if not text.endswith(".py"):
        path = os.path.join(work, name + ".py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path
    return os.path.join(data, text)


def one_of_each(binary, data, work):
    for kind, (tuned, untuned, rule, status, same) in PAIRS.items():
        folder = os.path.join(work, kind)
        save(binary, source(data, work, kind + "_t", tuned),
             source(data, work, kind + "_u", untuned), folder)
        with open(os.path.join(folder, "finding.json"),
                  encoding="utf-8") as file:
            if json.load(file)["rule"] != rule:
                raise Failed("%s: another finding" % kind)
        expect(kind, repro(folder), status, same)
        print("%s: as expected" % kind)


def the_other_way(work):
    """repro.py must not say what is not so."""
    folder = os.path.join(work, "value")
    change(folder, lambda f: f["element"]["tuned"].update(bits="0x12345678"))
    expect("another value", repro(folder), 1, 1, 1)
    for name in os.listdir(os.path.join(folder, "eras")) + ["untuned.json"]:
        if not name.startswith("untuned"):
            continue
        where = "" if name == "untuned.json" else "eras/"
        shutil.copy(os.path.join(folder, where + name),
                    os.path.join(folder, where + name[2:]))
    got = repro(folder)
    expect("no fault", got, 0, 1, 1)
    # both sides give the tuned one's value: the fault is TVM's own
    def turn(finding):
        element = finding["element"]
        element["tuned"], element["untuned"] = (element["untuned"],
                                                element["tuned"])
    change(folder, turn)
    expect("the same fault", repro(folder), 1, 1, 1)
    change(folder, lambda f: f["modules"][0].update(file="absent.json"))
    shutil.rmtree(os.path.join(folder, "eras"))
    got = repro(folder)
    expect("a file that is not there", got, 2, 0)
    if "absent.json" not in got[1]:
        raise Failed("a file that is not there: %s" % got[1])
    print("the other way: as expected")


def no_race(work):
    """A race that is not there any more has no effect, in no order."""
    folder = os.path.join(work, "order")
    for where in ("", "eras", "orders"):
        for name in os.listdir(os.path.join(folder, where)):
            if name.startswith("tuned.") and name.endswith(".json"):
                of = (name.replace("backwards", "forwards")
                      .replace("in-step", "forwards"))
                of = of if "forwards" in of else "un" + of
                shutil.copy(os.path.join(folder, where, of),
                            os.path.join(folder, where, name + ".new"))
    for where in ("", "eras", "orders"):
        for name in os.listdir(os.path.join(folder, where)):
            if name.endswith(".new"):
                path = os.path.join(folder, where, name)
                os.rename(path, path[:-len(".new")])
    expect("no race", repro(folder), 2, 0)
    print("no race: as expected")


def on_a_device(binary, work):
    """What repro.py does where there is a GPU, with the processor in its place."""
    folder = os.path.join(work, "device")
    save(binary, source("", work, "device_t", NAMED % 1),
         source("", work, "device_u", NAMED % 2), folder)
    expect("no device", repro(folder), 3, 0)
    path = os.path.join(folder, "repro.py")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for before, after in (('tvm.device(target["kind"], 0)', "tvm.cpu()"),
                          ("tvm.target.Target(target)",
                           'tvm.target.Target({"kind": "llvm"})')):
        if text.count(before) != 1:
            raise Failed("repro.py: no %s" % before)
        text = text.replace(before, after)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    expect("a device", repro(folder), 1, 2)
    print("a device: as expected")


def faulty(shared):
    """(name, tuned, untuned) of pairs labelled different that a CPU can run."""
    for case in sorted(glob.glob(os.path.join(shared, "data", "*", "**",
                                              "case.json"), recursive=True)):
        folder = os.path.dirname(case)
        sides = [sorted(glob.glob(os.path.join(folder, side + ".*")))
                 for side in ("tuned", "untuned")]
        with open(case, encoding="utf-8") as file:
            label = json.load(file).get("expect")
        if label != "different" or not all(sides):
            continue
        with open(sides[0][0], encoding="utf-8") as file:
            if "threadIdx" in file.read():
                continue
        yield os.path.basename(folder), sides[0][0], sides[1][0]


def many(binary, shared, work):
    ran = 0
    for name, tuned, untuned in faulty(shared):
        if ran >= WANTED + 5 and name not in SAME_FAULT:
            continue
        folder = os.path.join(work, "pair")
        save(binary, tuned, untuned, folder)
        with open(os.path.join(folder, "finding.json"),
                  encoding="utf-8") as file:
            if json.load(file)["rule"] != "different/value":
                continue
        got = repro(folder)
        if got[0] == 2:
            print("%s: not told:%s" % (name, got[1].splitlines()[-1]))
            continue
        expect(name, got, 1, 1 if name in SAME_FAULT else 2,
               1 if name in SAME_FAULT else 0)
        ran += got[2] == 2
    print("%d pairs with diffcheck's values bit for bit" % ran)
    if ran < WANTED:
        raise Failed("fewer than %d" % WANTED)


def main(argv):
    version, binary, data, shared, work = argv[1:]
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    try:
        one_of_each(binary, data, work)
        the_other_way(work)
        no_race(work)
        on_a_device(binary, work)
        if version == "0.27" and os.path.isdir(os.path.join(shared, "data")):
            many(binary, shared, work)
        else:
            print("not tried: pairs of %s/data" % shared)
    except Failed as why:
        print("FAILED:", why)
        return 1
    shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
