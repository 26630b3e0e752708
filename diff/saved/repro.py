#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does an installed TVM (0.25 to 0.27) show the finding of this folder?

    python3 repro.py [--target TARGET]

Builds the modules of finding.json for LLVM, each in a process of its own, runs
them on the arrays in in/, and prints the element in question: what TVM gives and
what diffcheck gave. Needs TVM and numpy, nothing else. TARGET is a target of TVM
as JSON; without one it is {"kind": "llvm"}, code for any processor of this kind,
which fuses no products with sums.

Exit status: 1 this TVM shows the finding; 0 it does not; 2 it cannot be told (no
TVM, a GPU kernel, a module that this TVM does not build, a fault without effect).
"""
import json
import os
import re
import subprocess
import sys
import tempfile

SHOWN, NOT_SHOWN, UNKNOWN = 1, 0, 2
SECONDS = 600  # of one run; guards against hangs only
GUARD = 1 << 18  # bytes on each side of an array
HERE = os.path.dirname(os.path.abspath(__file__))
GPU = re.compile(r'"(threadIdx|blockIdx|vthread)|tvm_storage_sync'
                 r'|\b(ptx_|tvm_mma|mma_|wmma)')


class Refused(Exception):
    """It cannot be done here; the text says why."""


# ---- files ---------------------------------------------------------------------


def load_finding():
    with open(os.path.join(HERE, "finding.json"), encoding="utf-8") as file:
        return json.load(file)


def module_text(entry, version):
    """The module in the form that this release of TVM reads."""
    name = entry["file"]
    old = "eras/%s.%s.json" % (entry["side"], ".".join(version.split(".")[:2]))
    if os.path.exists(os.path.join(HERE, old)):
        name = old
    if name is None:
        raise Refused("the module has no form that TVM reads")
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def value_type(np, array):
    """How numpy computes with elements that its files hold as integers."""
    if not array["raw"]:
        return np.dtype(array["dtype"])
    try:
        import ml_dtypes
        return np.dtype(getattr(ml_dtypes, array["dtype"]))
    except (ImportError, AttributeError) as error:
        raise Refused("numpy has no %s" % array["dtype"]) from error


def load_array(np, array, key):
    data = np.load(os.path.join(HERE, array[key]), allow_pickle=False)
    return data.view(value_type(np, array)) if array["raw"] else data


# ---- one run, in a process of its own ------------------------------------------


def reason(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if "rror:" in line or "failed" in line]
    return ((telling or lines or [type(error).__name__])[-1])[:200]


def called(tvm, func):
    """Names of the module's functions that this one calls."""
    nodes = json.loads(tvm.ir.save_json(func))["nodes"]
    names = set()
    for node in nodes:
        if str(node.get("type")).endswith("GlobalVar"):
            name = node["data"]["name_hint"]
            names.add(nodes[name]["data"] if isinstance(name, int) else name)
    return names


def pick(tvm, mod, name):
    """The module of the function and of what it calls; whether it is Relax."""
    if isinstance(mod, tvm.ir.BaseFunc):
        mod = tvm.IRModule({name: mod})
    named = {var.name_hint: func for var, func in mod.functions.items()}
    if name not in named:
        raise Refused("the module has no function '%s'" % name)
    if "relax" in str(type(named[name])):
        return mod, True
    todo, kept = [name], {}
    while todo:
        one = todo.pop()
        if one in named and one not in kept:
            func = named[one].with_attr("global_symbol", one)
            if func.attrs and "target" in func.attrs:
                func = func.without_attr("target")
            kept[one] = func
            todo += called(tvm, func)
    return tvm.IRModule(kept), False


def build(tvm, mod, target, checked):
    """checked: every access is compared with the shape of its buffer."""
    config = {}
    if checked:
        prefix = "tirx" if hasattr(tvm, "tirx") else "tir"
        config = {prefix + ".instrument_bound_checkers": True}
    try:
        with tvm.transform.PassContext(config=config):
            return tvm.compile(mod, target=tvm.target.Target(target))
    except Exception as error:
        raise Refused("TVM does not build it: %s" % reason(error)) from error


class Guarded:
    """A tensor with room around it that no access may touch: what is stored there
    is seen, and what is read from there differs from run to run."""

    def __init__(self, tvm, np, array, fill):
        size = array.nbytes
        self.whole = np.full(size + 2 * GUARD + 4096, fill, np.uint8)
        start = GUARD + -(self.whole.ctypes.data + GUARD) % 4096
        self.fill, self.inside = fill, slice(start, start + size)
        inner = self.whole[self.inside].view(array.dtype).reshape(array.shape)
        inner[...] = array
        self.tensor = tvm.runtime.from_dlpack(inner)

    def touched(self):
        before = self.whole[:self.inside.start]
        after = self.whole[self.inside.stop:]
        return bool((before != self.fill).any() or (after != self.fill).any())


def make_tensor(tvm, np, param, array, guards, poison):
    dtype = param["dtype"]
    if guards is not None and param["lanes"] == 1 and not param["raw"] \
            and dtype != "bool" and array.size > 0:
        try:
            guards.append(Guarded(tvm, np, array, 0x55 if poison else 0x2a))
            return guards[-1].tensor
        except Exception:  # this TVM takes no such memory: do without
            pass
    if param["lanes"] > 1:
        dtype += "x%d" % param["lanes"]
    tensor = tvm.runtime.empty(tuple(param["shape"]), dtype, tvm.cpu())
    tensor.copyfrom(array)
    return tensor


def arguments(tvm, np, finding, poison, guards):
    """Tensors and numbers; outputs start as recorded, or with all bits turned
    round where one of them is undefined."""
    out = []
    poison_outputs = poison and guards is None
    for param in finding["parameters"]:
        array = load_array(np, param, "in")
        if param["kind"] == "scalar":
            out.append(array.item())
            continue
        if poison_outputs and param["stored"] and param["dtype"] != "bool":
            bits = np.dtype("u%d" % array.dtype.itemsize)
            array = (~array.view(bits)).view(array.dtype)
        out.append(make_tensor(tvm, np, param, array, guards, poison))
    return out


def run_side(side, target, poison, checked, out):
    """Leaves the outputs as out/NUMBER.npy, bits as unsigned integers."""
    import numpy as np
    import tvm
    finding = load_finding()
    entry = [m for m in finding["modules"] if m["side"] == side][0]
    name = finding["tuned_function" if side == "tuned" else "function"]
    mod, relax = pick(tvm, tvm.ir.load_json(
        module_text(entry, tvm.__version__)), name)
    built = build(tvm, mod, target, checked)
    guards = [] if finding["element"] is None else None
    try:
        args = arguments(tvm, np, finding, poison, guards)
        if relax:
            call = tvm.relax.VirtualMachine(built, tvm.cpu())[name]
        else:
            call = built[name]
    except Refused:
        raise
    except Exception as error:
        raise Refused("it does not run: %s" % reason(error)) from error
    print("running", flush=True)
    try:
        result = call(*args)
    except Exception as error:
        raise Refused("it does not run: %s" % reason(error)) from error
    print("ran", flush=True)
    if any(guard.touched() for guard in guards or []):
        print("outside", flush=True)
    try:
        save_outputs(np, finding, args, result if relax else None, out)
    except Exception as error:
        raise Refused("its outputs are not to be had: %s"
                      % reason(error)) from error
    print("done", flush=True)


def save_outputs(np, finding, args, result, out):
    """result: of a Relax function; of a PrimFunc some arguments are outputs."""
    if result is not None:
        outputs = list(enumerate([result] if hasattr(result, "numpy")
                                 else list(result)))
    else:
        outputs = [(i, arg) for i, (arg, param) in
                   enumerate(zip(args, finding["parameters"]))
                   if hasattr(arg, "numpy") and param["stored"]]
    for i, tensor in outputs:
        array = np.ascontiguousarray(tensor.numpy())
        np.save(os.path.join(out, "%d.npy" % i),
                array.view("u%d" % array.dtype.itemsize))


class Run:
    """What became of one run: crashed, a signal ended it once TVM's code had
    begun; raised, that code said itself that something is wrong."""

    def __init__(self, side, target, poison=False, checked=False):
        import numpy as np
        self.outputs, self.why = {}, None
        self.crashed = self.raised = self.ran = self.outside = False
        with tempfile.TemporaryDirectory() as out:
            words = [sys.executable, os.path.abspath(__file__), "--run", side,
                     json.dumps(target), str(int(poison)), str(int(checked)),
                     out]
            try:
                done = subprocess.run(words, capture_output=True, text=True,
                                      timeout=SECONDS, check=False)
            except subprocess.TimeoutExpired:
                self.why = "it ran for more than %d s" % SECONDS
                return
            lines = done.stdout.split()
            self.ran = "running" in lines
            self.outside = "outside" in lines
            self.crashed = self.ran and done.returncode < 0
            self.raised = (self.ran and done.returncode > 0 and
                           "ran" not in lines)
            if done.returncode != 0 or "done" not in lines:
                last = (done.stderr.strip().splitlines() or
                        ["it ended early, and says nothing"])[-1]
                self.why = (last if done.returncode >= 0 else
                            "the process ended by signal %d"
                            % -done.returncode)
                return
            for name in os.listdir(out):
                self.outputs[int(name[:-4])] = np.load(os.path.join(out, name))


# ---- comparison ----------------------------------------------------------------


def text_of(np, element, bits):
    """(decimal, hexadecimal) of an element's bits."""
    width = np.dtype("u%d" % bits.dtype.itemsize)
    value = np.array([bits]).view(width).view(value_type(np, element))[0]
    return "%s (0x%0*x)" % (value, 2 * bits.dtype.itemsize, int(bits))


def same(np, element, a, b):
    """Bits, but for NaN, which is one value."""
    if int(a) == int(b):
        return True
    if not re.match("b?float", element["dtype"]):
        return False
    kind = value_type(np, element)
    values = [float(np.array([x]).view(kind)[0]) for x in (a, b)]
    return values[0] != values[0] and values[1] != values[1]


def pick_element(element, run):
    return run.outputs[element["position"]].reshape(-1)[element["flat"]]


def ours(np, element, side):
    value = element[side]
    if not isinstance(value, dict):
        return None
    size = value_type(np, element).itemsize
    return np.array([int(value["bits"], 16)], "u%d" % size)[0]


def put(label, text):
    print("%-10s %s" % (label, text))


def finish(status, text):
    put({SHOWN: "shown", NOT_SHOWN: "not shown",
         UNKNOWN: "not known"}[status], text)
    return status


def put_element(np, finding, runs):
    """Both sides' values; whether TVM's are diffcheck's."""
    element = finding["element"]
    for side, run in runs:
        mine = ours(np, element, side)
        if run.why:
            put(side, run.why)
            continue
        have = pick_element(element, run)
        note = ""
        if mine is not None:
            note = ", diffcheck %s: %s" % (
                text_of(np, element, mine),
                "the same" if same(np, element, have, mine) else "differs")
        put(side, "TVM %s%s" % (text_of(np, element, have), note))


def differing(np, finding, a, b):
    """Outputs of two runs that differ anywhere, by name."""
    names = []
    arrays = finding.get("outputs") or finding["parameters"]
    for i in sorted(set(a.outputs) & set(b.outputs)):
        x, y = a.outputs[i].reshape(-1), b.outputs[i].reshape(-1)
        if x.shape != y.shape or not all(
                same(np, arrays[i], p, q) for p, q in zip(x, y) if p != q):
            names.append(arrays[i]["name"])
    return names


# ---- kinds of findings -----------------------------------------------------------


def judge_values(np, finding, target):
    runs = [(side, Run(side, target)) for side in ("tuned", "untuned")]
    put_element(np, finding, runs)
    if any(run.why for _, run in runs):
        return finish(UNKNOWN, "a side does not run")
    a, b = (pick_element(finding["element"], run) for _, run in runs)
    element = finding["element"]
    if not same(np, element, a, b):
        return finish(SHOWN, "the sides differ")
    if same(np, element, b, ours(np, element, "untuned")):
        return finish(NOT_SHOWN, "both sides give the untuned one's value")
    if same(np, element, a, ours(np, element, "tuned")):
        return finish(SHOWN, "this TVM makes the tuned side's value of the "
                      "untuned one, too")
    return finish(UNKNOWN, "both sides give one value, and neither of ours")


def judge_undefined(np, finding, target):
    """What nobody stored shows where it hangs on what was there before."""
    element = finding["element"]
    sides = [m["side"] for m in finding["modules"]]
    runs = [(side, Run(side, target)) for side in sides]
    again = Run(sides[0], target, poison=True)
    put_element(np, finding, runs)
    if again.why or any(run.why for _, run in runs):
        return finish(UNKNOWN, "a side does not run")
    a, b = (pick_element(element, r) for r in (runs[0][1], again))
    c = pick_element(element, runs[-1][1])
    if not same(np, element, a, b):
        return finish(SHOWN, "it keeps what was there before: with other "
                      "contents it is %s" % text_of(np, element, b))
    if not same(np, element, a, c):
        return finish(SHOWN, "the sides differ")
    return finish(UNKNOWN, "what may hold anything held the right value")


def judge_fault(np, finding, target, exact):
    """A fault shows as a crash, as a difference, or to TVM's own checks."""
    sides = [m["side"] for m in finding["modules"]]
    first = Run(sides[0], target)
    other = Run(sides[1], target) if len(sides) > 1 else None
    for side, run in zip(sides, (first, other)):
        put(side, run.why or "TVM runs it")
    if other is not None and other.why:
        return finish(UNKNOWN, "the untuned side does not run")
    if first.crashed:
        return finish(SHOWN, "TVM's code fails on this input")
    if first.raised and finding["fault"] == "failed assertion":
        return finish(SHOWN, "TVM's code says so: %s" % first.why)
    if first.why:
        return finish(UNKNOWN, "a side does not run")
    if first.outside and not (other and other.outside):
        return finish(SHOWN, "memory outside of the arrays was written")
    # sums in another order are no fault: across sides where nothing rounds
    names = differing(np, finding, first, other) if other and exact else []
    if names:
        return finish(SHOWN, "the sides differ in %s" % ", ".join(names))
    again = Run(sides[0], target, poison=True)
    names = differing(np, finding, first, again)
    if names and not again.why:
        return finish(SHOWN, "%s hangs on memory outside of the arrays"
                      % ", ".join(names))
    checked = Run(sides[0], target, checked=True)
    well = Run(sides[1], target, checked=True) if other else None
    if (checked.crashed or checked.raised) and (well is None or not well.why):
        return finish(SHOWN, "TVM's check of bounds: %s" % checked.why)
    return finish(UNKNOWN, "the fault has no effect that is seen here; it "
                  "need not have one")


def judge_undefined_variable(target):
    """There is no input: TVM builds the module or does not."""
    tuned, untuned = Run("tuned", target), Run("untuned", target)
    put("tuned", tuned.why or "TVM builds it")
    put("untuned", untuned.why or "TVM builds it")
    if tuned.why and not tuned.ran and untuned.ran:
        return finish(SHOWN, "TVM does not build the tuned side alone")
    return finish(UNKNOWN, "nothing to compare")


def judge_target(np, finding, target):
    element = finding["element"]
    run = Run("module", target)
    put_element(np, finding, [("module", run)])
    theirs = ours(np, element, "target")
    put(finding["target"], text_of(np, element, theirs))
    if run.why:
        return finish(UNKNOWN, "it does not run")
    have = pick_element(element, run)
    if same(np, element, have, theirs):
        return finish(SHOWN, "TVM gives what %s gave" % finding["target"])
    if same(np, element, have, ours(np, element, "module")):
        return finish(NOT_SHOWN, "TVM gives the interpreter's value")
    return finish(UNKNOWN, "TVM gives a third value")


def judge(np, finding, target, exact):
    """exact: no module has a floating-point type, so that nothing rounds."""
    element = finding["element"]
    if finding["target"]:
        return judge_target(np, finding, target)
    if finding["input"] is None and finding["fault"]:
        return judge_undefined_variable(target)
    if finding["input"] is None:
        return finish(UNKNOWN, "there is no input")
    if element is None:
        return judge_fault(np, finding, target, exact)
    if element[finding["modules"][0]["side"]] == "undefined":
        return judge_undefined(np, finding, target)
    return judge_values(np, finding, target)


def place(element):
    if element is None:
        return ""
    return ", %s%s" % (element["output"], element["index"])


def ours_text(finding):
    element = finding["element"] or {}
    out = []
    for side in ("tuned", "untuned", "module", "target"):
        value = element.get(side)
        if isinstance(value, dict):
            out.append("%s %s (%s)" % (side, value["decimal"], value["bits"]))
        elif value:
            out.append("%s %s" % (side, value))
    return ", ".join(out) or "no value"


def judge_all(argv):
    target = {"kind": "llvm"}
    if len(argv) == 3 and argv[1] == "--target":
        try:
            target = json.loads(argv[2])
        except ValueError:
            return finish(UNKNOWN, "'--target' needs JSON, such as "
                          "'{\"kind\": \"llvm\"}'")
    elif len(argv) > 1:
        print(__doc__)
        return UNKNOWN
    finding = load_finding()
    put("finding", "%s in %s%s" % (finding["rule"], finding["function"],
                                   place(finding["element"])))
    put("reason", finding["reason"])
    put("diffcheck", "%s: %s" % (finding["version"], ours_text(finding)))
    try:
        import numpy as np
        import tvm
    except Exception as error:  # a library that does not load
        return finish(UNKNOWN, "no TVM to run: %s" % reason(error))
    put("TVM", tvm.__version__)
    texts = [module_text(m, tvm.__version__) for m in finding["modules"]]
    if any(GPU.search(text) for text in texts):
        return finish(UNKNOWN, "a GPU kernel: it is not run here")
    return judge(np, finding, target,
                 not any("float" in text for text in texts))


def main(argv):
    if len(argv) == 7 and argv[1] == "--run":
        try:
            run_side(argv[2], json.loads(argv[3]), argv[4] == "1",
                     argv[5] == "1", argv[6])
        except Refused as why:
            sys.exit(str(why))
        return 0
    try:
        return judge_all(argv)
    except Exception as error:  # Python's own status for it says "shown"
        return finish(UNKNOWN, reason(error))


if __name__ == "__main__":
    sys.exit(main(sys.argv))
