#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does an installed TVM (0.25 to 0.27) show the finding of this folder?

    python3 repro.py [--target TARGET]

Builds the modules of finding.json, each in a process of its own, runs them on the
arrays in in/, and prints the element in question: what TVM gives and what diffcheck
gave. A race is run many times: are the results always the same? Needs TVM and
numpy, nothing else. TARGET is a target of TVM as JSON. Without one it is {"kind":
"llvm"}, code for any processor of this kind, which fuses no products with sums, and
of a GPU kernel {"kind": "cuda"}.

Exit status: 1 this TVM shows the finding; 0 it does not; 2 it cannot be told (no
TVM, a module that this TVM does not build, a fault without effect); 3 it was not
run: a GPU kernel, and TVM finds no device here.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time

SHOWN, NOT_SHOWN, UNKNOWN, NOT_RUN = 1, 0, 2, 3
SECONDS = 600  # of one run; guards against hangs only
REPEATS = 200  # of what races,
REPEATING = 10  # as long as that takes no more seconds
GUARD = 1 << 18  # bytes on each side of an array
HERE = os.path.dirname(os.path.abspath(__file__))
GPU = re.compile(r'"(threadIdx|blockIdx|vthread)|tvm_storage_sync'
                 r'|\b(ptx_|tvm_mma|mma_|wmma)')
# What a driver says of an access that no memory has.
GPU_FAULT = re.compile("illegal|misaligned|out.of.range.address", re.I)


class Refused(Exception):
    """It cannot be done here; the text says why."""


# ---- files ---------------------------------------------------------------------


def load_finding():
    with open(os.path.join(HERE, "finding.json"), encoding="utf-8") as file:
        return json.load(file)


def module_text(entry, version, order=None):
    """The module in the form that this release of TVM reads; with its parallel
    loops in one of the orders that they allow."""
    stem = entry["side"] + ("." + order if order else "")
    name = "orders/%s.json" % stem if order else entry["file"]
    old = "eras/%s.%s.json" % (stem, ".".join(version.split(".")[:2]))
    if os.path.exists(os.path.join(HERE, old)):
        name = old
    if name is None:
        raise Refused("the module has no form that TVM reads")
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def known(np, finding, array):
    """Which elements of an output mean something on every side; None: all."""
    files = [array[key] for key in
             [m["side"] + "_known" for m in finding["modules"]] if key in array]
    masks = [np.load(os.path.join(HERE, file), allow_pickle=False).reshape(-1)
             for file in files]
    return np.logical_and.reduce(masks) if masks else None


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


def device_of(tvm, target):
    """Where code for the target runs; None: this TVM finds none here."""
    if target["kind"] in ("llvm", "c"):
        return tvm.cpu()
    device = tvm.device(target["kind"], 0)
    return device if device.exist else None


def make_tensor(tvm, np, param, array, guards, poison, device):
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
    tensor = tvm.runtime.empty(tuple(param["shape"]), dtype, device)
    tensor.copyfrom(array)
    return tensor


def all_arguments(tvm, np, finding, poison, guards, device):
    """Tensors and numbers by parameter; outputs start as recorded, or with all
    bits turned round where one of them is undefined."""
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
        out.append(make_tensor(tvm, np, param, array, guards, poison, device))
    return out


def those_of(entry, args):
    """What the function of the module takes of them: sizes that the other side
    has from shapes are numbers, and what it returns is none."""
    if entry["arguments"] is None:
        return args
    return [args[i] if isinstance(i, int) else i["value"]
            for i in entry["arguments"]]


def bits_of(np, array):
    array = np.ascontiguousarray(array)
    return array.view("u%d" % array.dtype.itemsize)


def outputs_of(np, finding, entry, args, result):
    """By position, as bits. result: of a Relax function, or what a PrimFunc
    returns, of which some arguments are outputs."""
    if finding["relax"]:
        return {i: bits_of(np, tensor.numpy()) for i, tensor in
                enumerate([result] if hasattr(result, "numpy") else result)}
    out = {i: bits_of(np, arg.numpy()) for i, (arg, param) in
           enumerate(zip(args, finding["parameters"]))
           if hasattr(arg, "numpy") and param["stored"]}
    if entry["returns"] is not None:
        kind = value_type(np, finding["parameters"][entry["returns"]])
        out[entry["returns"]] = bits_of(np, np.array([result]).astype(kind))
    return out


class Side:
    """One side, built, in the process that runs it."""

    def __init__(self, side, options):
        import numpy as np
        import tvm
        self.np, self.tvm, self.options = np, tvm, options
        self.finding = load_finding()
        self.entry = [m for m in self.finding["modules"]
                      if m["side"] == side][0]
        self.name = self.finding["tuned_function" if side == "tuned"
                                 else "function"]
        self.device = device_of(tvm, options["target"])
        if self.device is None:
            raise Refused("TVM finds no device for it")

    def build(self, order=None):
        """What is called; with parallel loops in that order."""
        mod, relax = pick(self.tvm, self.tvm.ir.load_json(module_text(
            self.entry, self.tvm.__version__, order)), self.name)
        built = build(self.tvm, mod, self.options["target"],
                      self.options["checked"])
        if relax:
            return self.tvm.relax.VirtualMachine(built, self.device)[self.name]
        return built[self.name]

    def run(self, call):
        """The outputs, and whether memory outside of the arrays was written."""
        on_cpu = self.options["target"]["kind"] in ("llvm", "c")
        guards = ([] if self.finding["element"] is None and on_cpu and
                  self.options["repeats"] == 1 else None)
        try:
            args = all_arguments(self.tvm, self.np, self.finding,
                                 self.options["poison"], guards, self.device)
            theirs = those_of(self.entry, args)
        except Refused:
            raise
        except Exception as error:
            raise Refused("it does not run: %s" % reason(error)) from error
        print("running", flush=True)
        try:
            result = call(*theirs)
            if not on_cpu:
                self.device.sync()
        except Exception as error:
            raise Refused("it does not run: %s" % reason(error)) from error
        print("ran", flush=True)
        try:
            outputs = outputs_of(self.np, self.finding, self.entry, args, result)
        except Exception as error:
            raise Refused("its outputs are not to be had: %s"
                          % reason(error)) from error
        return outputs, any(guard.touched() for guard in guards or [])


def run_side(side, options, out):
    """Leaves the outputs as out/NUMBER.npy, bits as unsigned integers, and says
    how many different ones there were."""
    import numpy as np
    one = Side(side, options)
    arrays = one.finding.get("outputs") or one.finding["parameters"]
    calls = ([one.build(order) for order in one.entry["orders"]]
             if options["orders"] else [one.build()] * options["repeats"])
    masks = {i: known(np, one.finding, array) for i, array in enumerate(arrays)}
    seen, first, runs, end = {}, None, 0, time.monotonic() + REPEATING
    for call in calls:
        if runs > 0 and not options["orders"] and time.monotonic() > end:
            break
        outputs, outside = one.run(call)
        runs += 1
        if outside:
            print("outside", flush=True)
        first = first or outputs
        for i, bits in outputs.items():
            flat = bits.reshape(-1)
            flat = flat if masks[i] is None else flat[masks[i]]
            seen.setdefault(i, set()).add(hashlib.sha256(flat.tobytes())
                                          .hexdigest())
    for i, bits in first.items():
        np.save(os.path.join(out, "%d.npy" % i), bits)
    with open(os.path.join(out, "runs.json"), "w", encoding="utf-8") as file:
        json.dump({"runs": runs, "different": {
            arrays[i]["name"]: len(seen[i]) for i in seen if len(seen[i]) > 1}},
                  file)
    print("done", flush=True)


class Run:
    """What became of the runs of a side: crashed, a signal ended them once TVM's
    code had begun; raised, that code said itself that something is wrong;
    different, how many results there were of the outputs with several."""

    def __init__(self, side, target, poison=False, checked=False, repeats=1,
                 orders=False):
        import numpy as np
        self.outputs, self.why, self.runs, self.different = {}, None, 0, {}
        self.crashed = self.raised = self.ran = self.outside = False
        options = {"target": target.get(side), "poison": poison,
                   "checked": checked, "repeats": repeats, "orders": orders}
        with tempfile.TemporaryDirectory() as out:
            words = [sys.executable, os.path.abspath(__file__), "--run", side,
                     json.dumps(options), out]
            # glibc then fills what is allocated, otherwise where poison is set
            more = {"TVM_NUM_THREADS": str(os.cpu_count() or 2),
                    "MALLOC_PERTURB_": "170" if poison else "85"}
            try:
                done = subprocess.run(words, capture_output=True, text=True,
                                      timeout=SECONDS, check=False,
                                      env=dict(os.environ, **more))
            except subprocess.TimeoutExpired:
                self.why = "it ran for more than %d s" % SECONDS
                return
            lines = done.stdout.split()
            self.ran = "running" in lines
            self.outside = "outside" in lines
            self.crashed = self.ran and done.returncode < 0
            self.raised = (self.ran and done.returncode > 0 and
                           lines.count("ran") < lines.count("running"))
            if done.returncode != 0 or "done" not in lines:
                last = (done.stderr.strip().splitlines() or
                        ["it ended early, and says nothing"])[-1]
                self.why = (last if done.returncode >= 0 else
                            "the process ended by signal %d"
                            % -done.returncode)
                return
            for name in os.listdir(out):
                path = os.path.join(out, name)
                if name.endswith(".npy"):
                    self.outputs[int(name[:-4])] = np.load(path)
                    continue
                with open(path, encoding="utf-8") as file:
                    self.__dict__.update(json.load(file))


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


def finite(np, element, bits):
    value = np.array([bits]).view(value_type(np, element))
    return bool(np.isfinite(value.astype("float64"))[0])


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
         UNKNOWN: "not known", NOT_RUN: "not run"}[status], text)
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
    """Outputs of two runs that differ where both sides define them, by name."""
    names = []
    arrays = finding.get("outputs") or finding["parameters"]
    for i in sorted(set(a.outputs) & set(b.outputs)):
        x, y = a.outputs[i].reshape(-1), b.outputs[i].reshape(-1)
        mask = known(np, finding, arrays[i])
        if mask is not None and x.shape == y.shape == mask.shape:
            x, y = x[mask], y[mask]
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
    # of a sum in another order only one that rounds nowhere is the same
    if not same(np, element, a, c) and (
            element["exact"] or finite(np, element, a) != finite(np, element, c)):
        return finish(SHOWN, "the sides differ")
    return finish(UNKNOWN, "what may hold anything held the right value"
                  if element["exact"] else "it is the same with other contents "
                  "of memory; rounding may make the sides differ")


def put_accesses(finding):
    """Of a race: what nothing orders, whoever runs it, and in which order."""
    for one in finding["accesses"]:
        text = one["statement"]
        if one["variables"]:
            text += ", %s" % one["variables"]
        if one["thread"]:
            text += ", thread %s" % one["thread"]
        if one["line"]:
            text += ", line %d" % one["line"]
        put(one["access"], text)
    if not finding["accesses"] and finding["where"]:
        put("at", finding["where"])


def runs_text(run):
    different = ", ".join("%d different results of %s" % (n, name)
                          for name, n in sorted(run.different.items()))
    return run.why or "%d runs, %s" % (run.runs, different or "one result")


def judge_orders(finding, target):
    """Whether the result of the first side, and of no other one, hangs on the
    order of parallel iterations. Without a race all orders have the same bits."""
    for i, module in enumerate(finding["modules"]):
        if not module["orders"]:  # it has no parallel loop
            if i == 0:
                return False
            continue
        run = Run(module["side"], target, orders=True)
        put(module["side"], "iterations %s: %s" %
            (", ".join(module["orders"]), runs_text(run)))
        if run.why or bool(run.different) != (i == 0):
            return False
    return True


def judge_race(np, finding, target, exact, on_gpu):
    """Only one that has an effect can show: results that are not always the
    same, of a side that has no other reason for it than the order of threads."""
    put_accesses(finding)
    sides = [m["side"] for m in finding["modules"]]
    runs = [Run(side, target, repeats=REPEATS) for side in sides]
    for side, run in zip(sides, runs):
        put(side, runs_text(run))
    first, other = runs[0], runs[1] if len(runs) > 1 else None
    if first.crashed:
        return finish(SHOWN, "TVM's code fails on this input")
    if any(run.why for run in runs):
        return finish(UNKNOWN, "a side does not run")
    if first.different and not (other and other.different):
        return finish(SHOWN, "the result hangs on the order of threads")
    if first.different:
        return finish(UNKNOWN, "the results of both sides hang on the order of "
                      "threads")
    if not on_gpu and judge_orders(finding, target):
        return finish(SHOWN, "the result hangs on the order of iterations")
    names = differing(np, finding, first, other) if other and exact else []
    if names:
        return finish(SHOWN, "the sides differ in %s" % ", ".join(names))
    return finish(UNKNOWN, "in %d runs the race had no effect; it need not have "
                  "one, and is there all the same" % first.runs)


def judge_fault(np, finding, target, exact, on_gpu):
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
    if first.raised and (finding["fault"] == "failed assertion" or
                         on_gpu and GPU_FAULT.search(first.why)):
        return finish(SHOWN, "TVM's code says so: %s" % first.why)
    if first.why:
        return finish(UNKNOWN, "a side does not run")
    if first.outside and not (other and other.outside):
        return finish(SHOWN, "memory outside of the arrays was written")
    # sums in another order are no fault: across sides where nothing rounds
    names = differing(np, finding, first, other) if other and exact else []
    if names:
        return finish(SHOWN, "the sides differ in %s" % ", ".join(names))
    if on_gpu:
        return finish(UNKNOWN, "the fault has no effect that is seen on the GPU")
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


def judge(np, finding, target, exact, on_gpu=False):
    """target: by side. exact: no module has a floating-point type, so that
    nothing rounds. on_gpu: a side is run there."""
    element = finding["element"]
    if finding["target"]:
        return judge_target(np, finding, target)
    if finding["input"] is None and finding["fault"]:
        return judge_undefined_variable(target)
    if finding["input"] is None:
        return finish(UNKNOWN, "there is no input")
    if finding["fault"] == "race":
        return judge_race(np, finding, target, exact, on_gpu)
    if element is None:
        return judge_fault(np, finding, target, exact, on_gpu)
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


def choose_targets(finding, texts, given):
    """By side: what is given where it is for such a module, else the default."""
    out = {}
    for module, text in zip(finding["modules"], texts):
        gpu = bool(GPU.search(text))
        fits = given and (given["kind"] not in ("llvm", "c")) == gpu
        out[module["side"]] = given if fits else {"kind": "cuda" if gpu
                                                  else "llvm"}
    return out


def tell_not_run(finding, kind):
    """What can be said of a GPU kernel without a GPU."""
    if finding["fault"]:
        put_accesses(finding)
    return finish(NOT_RUN, "a GPU kernel, and TVM finds no device of kind '%s' "
                  "here: neither side was built or run" % kind)


def judge_all(argv):
    given = None
    if len(argv) == 3 and argv[1] == "--target":
        try:
            given = json.loads(argv[2])
            given["kind"]  # a name alone is none that all releases take
        except (ValueError, TypeError, KeyError):
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
    targets = choose_targets(finding, texts, given)
    for target in targets.values():
        if device_of(tvm, target) is None:
            return tell_not_run(finding, target["kind"])
    return judge(np, finding, targets,
                 not any("float" in text for text in texts),
                 any(GPU.search(text) for text in texts))


def main(argv):
    if len(argv) == 5 and argv[1] == "--run":
        try:
            run_side(argv[2], json.loads(argv[3]), argv[4])
        except Refused as why:
            sys.exit(str(why))
        return 0
    try:
        return judge_all(argv)
    except Exception as error:  # Python's own status for it says "shown"
        return finish(UNKNOWN, reason(error))


if __name__ == "__main__":
    sys.exit(main(sys.argv))
