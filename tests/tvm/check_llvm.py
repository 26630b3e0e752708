# SPDX-License-Identifier: Apache-2.0
#
# Does `diffcheck run` compute what TVM's llvm code computes, bit for bit?
#
#   python check_llvm.py DIFFCHECK SHARED WORK TABLE [--only WORD] [--write]
#
# Every module of the data that a CPU can run is built by the installed TVM,
# for two processors: `base` without fused multiply-add, and `fma` with it. It
# runs on exact inputs (small integers) and on random floats; the outputs of
# both are compared bit for bit, NaN being one value.
#
#   exact inputs   where no operation rounds (error bound 0 in the domain
#                  `bound`) the bits must be equal, without exception
#   random floats  equal, or the row (module, processor) is in TABLE with a
#                  cause and the number of elements that differ; a row that
#                  has nothing to explain is a failure, too
#
# A cause is not taken on trust. For each row it is removed, here, and then all
# bits must be equal:
#   contraction   the same processor with -fma, so that no product is fused
#                 with a sum
#   function      exp, rsqrt, tanh and their kin replaced by |x| on both sides:
#                 gone are the library's and TVM's own ways to compute them
#   bfloat16      every bfloat16 of the module made float32 on both sides: TVM
#                 computes chains of bfloat16 operations in float32
# Several causes of one row are joined by '+', and are removed together.
#
# A module without GPU code that does not run is a row of the table with the
# reason. Each module runs in a process of its own, so that one that crashes is
# a failure and no end of the test. --write prints the table as it would be.
# Exit 1 on a failure, 77 when the data are not there.

import hashlib
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import time

import numpy as np

PROCESSORS = {
    "base": {"kind": "llvm", "mtriple": "x86_64-linux-gnu",
             "mcpu": "x86-64-v2"},
    "fma": {"kind": "llvm", "mtriple": "x86_64-linux-gnu",
            "mcpu": "x86-64-v3"},
    "fma-off": {"kind": "llvm", "mtriple": "x86_64-linux-gnu",
                "mcpu": "x86-64-v3", "mattr": ["-fma"]},
}
FAMILIES = ["schedule", "passes", "mutants", "relax", "eras", "seed0",
            "metaschedule", "dlight"]
SECONDS = 1000  # a module; only guards against hangs
FUNCTIONS = re.compile(
    r'"(tirx?)\.(exp|exp2|exp10|log|log2|log10|log1p|tanh|sigmoid|erf|sin|cos'
    r'|tan|sinh|cosh|atan|rsqrt|asin|acos|asinh|acosh|atanh)"')
# Steps that the plain interpreter may take on exact inputs in the domain
# `bound`; larger modules run in machine arithmetic, and all bits count.
BOUND_STEPS = 20000000


# ---- modules -------------------------------------------------------------------

def modules(shared):
    """(label, path, case) of each distinct module file that might run."""
    seen = set()
    for family in FAMILIES:
        root = os.path.join(shared, "data", "tvm", family)
        if not os.path.isdir(root):
            continue
        for name in sorted(os.listdir(root)):
            folder = os.path.join(root, name)
            case = os.path.join(folder, "case.json")
            if not os.path.exists(case):
                continue
            sides = ["untuned"] if family == "mutants" else ["untuned", "tuned"]
            for side in sides:
                path = os.path.join(folder, side + ".json")
                with open(path, "rb") as file:
                    digest = hashlib.sha256(file.read()).digest()
                if digest not in seen:
                    seen.add(digest)
                    with open(case, encoding="utf-8") as file:
                        yield ("%s/%s/%s" % (family, name, side), path,
                               json.load(file))


class Skip(Exception):
    """The module cannot be run here; the text says why."""


class Gpu(Skip):
    """It is no CPU code."""


def read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if re.search(r'"(threadIdx|blockIdx|vthread)', text):
        raise Gpu("has GPU threads")
    if re.search(r"(ptx|wmma|mma_|tvm_storage_sync|warp_)", text):
        raise Gpu("has GPU intrinsics")
    return text


def entry(mod):
    """The function to run, and whether it is a Relax function."""
    named = {var.name_hint: func for var, func in mod.functions.items()}
    relax = {k: f for k, f in named.items() if "relax" in str(type(f))}
    choice = relax or named
    if len(choice) == 1:
        name = next(iter(choice))
    elif "main" in choice:
        name = "main"
    else:
        raise Skip("has several functions and no main")
    return name, choice[name], bool(relax)


def size(dim, dims, free):
    """A dimension as a number; symbolic ones by the case's names."""
    if hasattr(dim, "value"):
        return int(dim.value)
    name = getattr(dim, "name", None)
    if name is None:
        raise Skip("has a dimension that is an expression")
    return dims.setdefault(name, free)


def parameters(name, func, is_relax, case):
    """[(name, shape or None for a scalar, dtype)]"""
    dims = dict(case.get("inputs", {}).get("dims", {}))
    out = []
    for param in func.params:
        if is_relax:
            info = param.ty
            shape = getattr(info, "shape", None)
            if shape is None:
                raise Skip("has a parameter that is no tensor")
            values = getattr(shape, "values", shape)
            out.append((param.name, tuple(size(d, dims, 7) for d in values),
                        str(info.dtype)))
        elif hasattr(param, "shape") and hasattr(param, "strides"):
            out.append((param.name, tuple(size(d, dims, 7)
                                          for d in param.shape),
                        str(param.dtype)))
        else:
            if "handle" in str(param.dtype):
                raise Skip("takes bare pointers")
            out.append((param.name, None, str(param.dtype)))
    return out


# ---- inputs ------------------------------------------------------------------------

def numpy_type(dtype):
    if dtype == "bfloat16":
        import ml_dtypes
        return np.dtype(ml_dtypes.bfloat16)
    if dtype.startswith("float8") or "x" in dtype or dtype.startswith("float4"):
        raise Skip("has %s" % dtype)
    return np.dtype(dtype)


def is_float(dtype):
    return dtype.startswith(("float", "bfloat"))


def values(index, shape, dtype, fill, case):
    rng = np.random.Generator(np.random.Philox(key=1000 * (fill == "random")
                                               + index))
    shape = () if shape is None else shape
    top = case.get("inputs", {}).get("index_params", {}).get(str(index))
    if top is not None:
        return rng.integers(0, int(top), shape).astype(numpy_type(dtype))
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if not is_float(dtype):
        low = 0 if dtype.startswith("u") else -4
        return rng.integers(low, 5, shape).astype(numpy_type(dtype))
    if fill == "exact":
        return rng.choice([-2.0, -1.0, 1.0, 2.0], shape).astype(
            numpy_type(dtype))
    return rng.uniform(-1, 1, shape).astype(numpy_type(dtype))


def save(path, array):
    if array.dtype.name == "bfloat16":
        array = array.view(np.uint16)
    np.save(path, array)


# ---- both sides ------------------------------------------------------------------

def build(tvm, mod, processor):
    try:
        return tvm.compile(mod, target=tvm.target.Target(PROCESSORS[processor]))
    except Exception as error:
        raise Skip("TVM does not build it: %s" % last_line(error)) from error


def run_tvm(tvm, built, name, is_relax, params, arrays):
    """Arrays of the parameters afterwards, or of a Relax function's results."""
    device = tvm.cpu()
    args = []
    for (_, shape, dtype), array in zip(params, arrays):
        if shape is None:
            args.append(array.item())
            continue
        tensor = tvm.runtime.empty(shape, dtype, device)
        tensor.copyfrom(array)
        args.append(tensor)
    if not is_relax:
        built[name](*args)
        return {p[0]: a.numpy() for p, a in zip(params, args)
                if hasattr(a, "numpy")}
    from tvm import relax
    result = relax.VirtualMachine(built, device)[name](*args)
    results = [result] if hasattr(result, "numpy") else list(result)
    return {"out%d" % i: r.numpy() for i, r in enumerate(results)}


def run_diffcheck(binary, path, name, work, params, arrays, domain):
    """{output name: array}, and {output name: error} in the domain `bound`;
    None where that takes too long."""
    steps = BOUND_STEPS if domain == "bound" else 4000000000
    command = [binary, "run", path, "--function", name, "--out", work,
               "--budget", str(steps), "--domain", domain]
    for i, ((param, _, _), array) in enumerate(zip(params, arrays)):
        file = os.path.join(work, "in%d.npy" % i)
        save(file, array if array.shape else array.reshape(1))
        command += ["--in", "%s=%s" % (param, file)]
    done = subprocess.run(command, capture_output=True, text=True,
                          timeout=SECONDS, check=False)
    if done.returncode == 4 and domain == "bound":
        return None  # too long, or the bits of floats are taken
    if done.returncode != 0:
        raise Skip("diffcheck run: " +
                   (done.stdout + done.stderr).splitlines()[0][:90])
    if " undefined " in done.stdout:
        raise Skip("leaves outputs undefined")
    out, errors = {}, {}
    for line in done.stdout.splitlines():
        found = re.match(r"(\S+)  (\S+?)\[", line)
        if not found:
            continue
        array = np.load(os.path.join(work, found.group(1) + ".npy"))
        if found.group(2) == "bfloat16":
            array = array.view(numpy_type("bfloat16"))
        out[found.group(1)] = array
        error = os.path.join(work, found.group(1) + ".error.npy")
        if domain == "bound" and os.path.exists(error):
            errors[found.group(1)] = np.load(error)
    return out, errors


def differs(a, b):
    """Elements of another value: bits, but for NaN, which is one value."""
    if a.dtype != b.dtype or a.size != b.size:
        return np.ones(max(a.size, b.size), bool)
    a, b = a.reshape(-1), b.reshape(-1)
    if not is_float(a.dtype.name):
        return a != b
    bits = np.dtype("u%d" % a.dtype.itemsize)
    wide = np.float64 if a.dtype.itemsize == 8 else np.float32
    nan = np.isnan(a.astype(wide)) & np.isnan(b.astype(wide))
    return (a.view(bits) != b.view(bits)) & ~nan


def last_line(error):
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1][:80] if lines else type(error).__name__


# ---- one module ------------------------------------------------------------------------

class Job:
    def __init__(self, tvm, binary, work, path, case, text=None):
        self.tvm, self.binary, self.work = tvm, binary, work
        self.path, self.case = path, case
        self.text = text if text is not None else read(path)
        self.mod = tvm.ir.load_json(self.text)
        self.name, func, self.relax = entry(self.mod)
        self.params = parameters(self.name, func, self.relax, case)
        self.builds = {}

    def arrays(self, fill):
        return [values(i, shape, dtype, fill, self.case)
                for i, (_, shape, dtype) in enumerate(self.params)]

    def theirs(self, fill, processor):
        if processor not in self.builds:
            self.builds[processor] = build(self.tvm, self.mod, processor)
        return run_tvm(self.tvm, self.builds[processor], self.name, self.relax,
                       self.params, self.arrays(fill))

    def ours(self, fill, domain):
        return run_diffcheck(self.binary, self.path, self.name, self.work,
                             self.params, self.arrays(fill), domain)

    def exact(self):
        """Elements that differ although no operation rounded."""
        found = self.ours("exact", "bound") or self.ours("exact", "ieee")
        theirs = self.theirs("exact", "fma")
        wrong = 0
        for name, array in found[0].items():
            bad = differs(array, theirs[name])
            if name in found[1]:
                bad &= found[1][name].reshape(-1) == 0
            wrong += int(bad.sum())
        return wrong

    def differing(self, processor):
        if not hasattr(self, "random"):
            self.random = self.ours("random", "ieee")[0]
        theirs = self.theirs("random", processor)
        return sum(int(differs(a, theirs[name]).sum())
                   for name, a in self.random.items())

    def without(self, causes):
        """The job of the module with what the causes name taken out."""
        text = self.text
        if "bfloat16" in causes:
            text = text.replace('"bfloat16"', '"float32"')
        if "function" in causes:
            text = FUNCTIONS.sub(r'"\1.fabs"', text)
        path = os.path.join(self.work, "without.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return Job(self.tvm, self.binary, self.work, path, self.case, text)

    def remaining(self, processor, causes):
        """Elements that differ once the causes are removed."""
        if "contraction" in causes:
            processor += "-off"
        others = [c for c in causes if c != "contraction"]
        return (self.without(others) if others else self).differing(processor)

    def explain(self, processor):
        """The fewest causes whose removal leaves nothing; for --write."""
        kinds = ["contraction"] if processor == "fma" else []
        kinds += ["function"] if FUNCTIONS.search(self.text) else []
        kinds += ["bfloat16"] if '"bfloat16"' in self.text else []
        subsets = [[k for i, k in enumerate(kinds) if mask >> i & 1]
                   for mask in range(1, 1 << len(kinds))]
        for causes in sorted(subsets, key=len):
            if self.remaining(processor, causes) == 0:
                return "+".join(causes)
        return "unknown"


def judge(tvm, binary, work, label, path, case, table, write):
    """(lines to print, rows of --write, whether it ran)"""
    try:
        job = Job(tvm, binary, work, path, case)
        failures, rows = [], []
        wrong = job.exact()
        if wrong:
            failures.append("%s: %d elements differ on exact inputs" %
                            (label, wrong))
        for processor in ("base", "fma"):
            count = job.differing(processor)
            cause, want = table.get((label, processor), (None, 0))
            if write:
                if count:
                    rows.append((label, processor, job.explain(processor),
                                 count))
            elif count != want:
                failures.append("%s on %s: %d elements differ, the table says "
                                "%d" % (label, processor, count, want))
            elif cause and job.remaining(processor, cause.split("+")):
                failures.append("%s on %s: without %s some still differ" %
                                (label, processor, cause))
        if (label, "-") in table:
            failures.append("%s: the table says it does not run" % label)
        return failures, rows, True
    except Gpu:
        return [], [], False
    except Skip as why:
        listed = table.get((label, "-"))
        row = (label, "-", str(why).replace("\t", " "), 0)
        return ([] if listed or write else
                ["%s does not run: %s" % (label, why)]), [row], False


# ---- all ---------------------------------------------------------------------------------

def read_table(path):
    table = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                cells = line.rstrip("\n").split("\t")
                if len(cells) == 4 and not line.startswith("#"):
                    table[cells[0], cells[1]] = (cells[2], int(cells[3]))
    return table


def child(pipe, arguments):
    try:
        pipe.send(judge(*arguments))
    except Exception as error:  # told by the parent, as a failure
        pipe.send((["%s: %s: %s" % (arguments[3], type(error).__name__,
                                    last_line(error))], [], False))
    pipe.close()


class Running:
    """One module in a process of its own."""

    def __init__(self, arguments):
        self.label = arguments[3]
        os.makedirs(arguments[2], exist_ok=True)
        self.pipe, other = multiprocessing.Pipe(False)
        self.process = multiprocessing.Process(target=child,
                                               args=(other, arguments))
        self.process.start()
        other.close()
        self.until = time.monotonic() + 3 * SECONDS

    def result(self):
        """None while it runs."""
        if self.pipe.poll(0.02):
            try:
                answer = self.pipe.recv()
            except EOFError:
                answer = (["%s: the process died" % self.label], [], False)
        elif time.monotonic() > self.until:
            self.process.kill()
            answer = (["%s: takes too long" % self.label], [], False)
        else:
            return None
        self.process.join()
        return answer


def main(argv):
    write = "--write" in argv
    only = argv[argv.index("--only") + 1] if "--only" in argv else ""
    binary, shared, work, path = argv[1:5]
    table = read_table(path)
    if not os.path.isdir(os.path.join(shared, "data", "tvm")):
        print("skipped: %s/data/tvm is not there" % shared)
        return 77
    import tvm

    todo = [m for m in modules(shared) if only in m[0]][::-1]
    labels = {m[0] for m in todo}
    failures, rows, ran, running = [], [], 0, []
    while todo or running:
        while todo and len(running) < min(4, os.cpu_count() or 1):
            label, module, case = todo.pop()
            running.append(Running((
                tvm, binary, os.path.join(work, label.replace("/", ".")),
                label, module, case, table, write)))
        for one in list(running):
            answer = one.result()
            if answer is None:
                continue
            running.remove(one)
            failures += answer[0]
            rows += answer[1]
            ran += answer[2]
    shutil.rmtree(work, ignore_errors=True)
    for label, processor in table:
        if label not in labels and not only:
            failures.append("%s %s: in the table, not in the data" %
                            (label, processor))
    if write:
        for row in sorted(rows):
            print("%s\t%s\t%s\t%d" % row)
    for failure in sorted(failures):
        print("FAILED:", failure, file=sys.stderr if write else sys.stdout)
    if not write:
        print("%d modules ran on two processors, %d rows explained, %d failed" %
              (ran, len(table), len(failures)))
    return 1 if failures or not ran else 0


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit("usage: check_llvm.py DIFFCHECK SHARED WORK TABLE "
                 "[--only WORD] [--write]")
    multiprocessing.set_start_method("fork")
    sys.exit(main(sys.argv))
