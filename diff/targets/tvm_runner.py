# SPDX-License-Identifier: Apache-2.0
"""Builds one function of a module with an installed TVM, and runs it.

    python tvm_runner.py --about
    python tvm_runner.py [--target TARGET] [--function NAME] --export FILE
                         [--cc COMPILER] [--cc-option WORD]... MODULE.json
    python tvm_runner.py [--target TARGET] [--function NAME] --source FILE
                         MODULE.json
    python tvm_runner.py [--target TARGET] [--library FILE] DIR...

--about prints one line of JSON: the version of TVM, the version of its LLVM,
the name that LLVM has for this processor, whether a GPU can be used and which.
--export leaves a shared library, --source what the code generator printed
(LLVM IR, C, CUDA, …); neither runs anything. The last form is a runner as
docs/runner-protocol.md has it: each DIR holds request.json and the arguments,
and the function is built, or taken from --library, once for all of them.

TARGET is a name and options, "llvm -mcpu=x86-64-v3 -mattr=+fma,+f16c", or
JSON, {"kind": "llvm", "mcpu": "x86-64-v3"}. TVM 0.25 to 0.27 will do.

Exit status: 0 done; 1 TVM refuses to build or to run (the reason is the last
line on standard error); 2 the command line or a file is wrong; 4 there is no
such device here. A crash of TVM is a crash of this process and of nothing else.
"""
import argparse
import json
import os
import re
import sys
import traceback

NO_DEVICE = 4


class Refused(Exception):
    """TVM does not do it."""


class Wrong(Exception):
    """The request is wrong."""


class NoDevice(Exception):
    """What it needs is not on this machine."""


def reason(error):
    """The line of an exception that says what it is about."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [i for i, line in enumerate(lines)
               if "rror:" in line or "failed" in line]
    lines = lines or [type(error).__name__]
    text = lines[telling[-1] if telling else -1]
    if telling and text.endswith(":"):
        text = " ".join(lines[telling[-1]:telling[-1] + 2])
    return re.sub(r"\S*/tmp\w{6,10}/", "", text)[:200]


def import_tvm():
    try:
        import numpy  # noqa: F401 pylint: disable=unused-import
        import tvm
    except ModuleNotFoundError as error:
        raise NoDevice("no module named %s" % error.name) from error
    except Exception as error:
        raise Refused("TVM does not load: %s" % reason(error)) from error
    return tvm


# ---- modules and targets ---------------------------------------------------------

def graft(nodes, graph):
    """Adds the nodes of another graph, that of a large number; the index of
    its root. Up to 0.26 numbers stand in their node, later in one of their
    own: what is no index of a node is the number."""
    own, shift = graph["nodes"], len(nodes)
    for node in own:
        data = node.get("data")
        if isinstance(data, dict):
            data = {key: value + shift
                    if type(value) is int and value < len(own) else value
                    for key, value in data.items()}
            node = {**node, "data": data}
        nodes.append(node)
    return graph["root_index"] + shift


def number_intrinsics(tvm, text):
    """Modules in memory call LLVM's intrinsics by the numbers of one LLVM, and
    text by their names, which is what a module read from text has here: names
    become the numbers of this TVM's LLVM."""
    if "call_llvm_" not in text or "StringImm" not in text:
        return text
    graph = json.loads(text)
    nodes = graph["nodes"]
    for node in nodes[:]:
        if not str(node.get("type")).endswith(".Call"):
            continue
        op = nodes[node["data"]["op"]]
        args = nodes[node["data"]["args"]]["data"]
        if not str(op.get("data")).endswith(
                (".call_llvm_intrin", ".call_llvm_pure_intrin")) or not args:
            continue
        first = nodes[args[0]]
        if not first["type"].endswith("StringImm"):
            continue
        name = nodes[first["data"]["value"]]["data"]
        number = tvm.target.codegen.llvm_lookup_intrinsic_id(name)
        if not number:
            raise Refused("this TVM's LLVM has no intrinsic '%s'" % name)
        args[0] = graft(nodes, json.loads(tvm.ir.save_json(
            tvm.tir.IntImm("uint32", number) if hasattr(tvm, "tir") else
            tvm.tirx.IntImm("uint32", number))))
    return json.dumps(graph)


def load_module(tvm, path):
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Wrong("%s: %s" % (path, error)) from error
    try:
        return tvm.ir.load_json(number_intrinsics(tvm, text))
    except Refused:
        raise
    except Exception as error:
        raise Refused("TVM does not read the module: %s" % reason(error)) \
            from error


def called(tvm, func):
    """Names of the module's functions that this one calls."""
    nodes = json.loads(tvm.ir.save_json(func))["nodes"]
    names = set()
    for node in nodes:
        if str(node.get("type")).endswith("GlobalVar"):
            name = node["data"]["name_hint"]
            names.add(nodes[name]["data"] if isinstance(name, int) else name)
    return names


def functions_of(tvm, mod, name):
    """By name. A file may hold one function instead of a module: it goes by
    the name that is asked for, as it has none or one of its own."""
    if isinstance(mod, tvm.IRModule):
        return {var.name_hint: func for var, func in mod.functions.items()}
    if isinstance(mod, tvm.ir.BaseFunc):
        return {name or "main": mod}
    raise Refused("the file holds a %s, no module" % type(mod).__name__)


def pick(tvm, mod, name):
    """The module of the function and of what it calls, and its name."""
    named = functions_of(tvm, mod, name)
    if name is None:
        name = "main" if "main" in named else next(iter(sorted(named)))
    if name not in named:
        raise Wrong("the module has no function '%s'" % name)
    if "relax" in str(type(named[name])):
        raise Refused("a Relax function is no kernel")
    todo, kept = [name], {}
    while todo:
        one = todo.pop()
        if one in named and one not in kept:
            func = named[one].with_attr("global_symbol", one)
            if func.attrs and "target" in func.attrs:
                func = func.without_attr("target")
            kept[one] = func
            todo += called(tvm, func)
    return tvm.IRModule(kept), name


def value_of(text):
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        return text


def target_of(tvm, text):
    """TVM 0.27 takes no "llvm -mcpu=x" any more."""
    try:
        if text.startswith("{"):
            config = json.loads(text)
        else:
            words = text.split()
            config = {"kind": words[0]}
            for word in words[1:]:
                key, equals, value = word.lstrip("-").partition("=")
                config[key] = value_of(value) if equals else True
                if key in ("mattr", "keys", "libs"):
                    config[key] = value.split(",")
    except (ValueError, IndexError) as error:
        raise Wrong("the target '%s' cannot be read" % text) from error
    try:
        return tvm.target.Target(config)
    except Exception as error:
        raise Refused("TVM does not know the target '%s': %s" %
                      (text, reason(error))) from error


def is_cpu(target):
    return target.kind.name in ("llvm", "c")


def device_of(tvm, target):
    if is_cpu(target):
        return tvm.cpu()
    device = tvm.device(target.kind.name)
    if not device.exist:
        raise NoDevice("there is no %s device here" % target.kind.name)
    return device


def build(tvm, mod, target):
    try:
        if is_cpu(target):
            return tvm.compile(mod, target=target)
        with target:
            return tvm.compile(mod, target=tvm.target.Target(target, "llvm"))
    except Exception as error:
        raise Refused("TVM does not build it: %s" % reason(error)) from error


def member(module, names):
    """The first of these attributes that the module has. Modules look unknown
    names up as functions, and some raise what they like."""
    for name in names:
        try:
            return getattr(module, name)
        except Exception:  # pylint: disable=broad-except
            continue
    return None


def inner(built):
    """The runtime module behind an executable, and all that it imports."""
    out, todo = [], [member(built, ["mod"]) or built]
    while todo:
        one = todo.pop(0)
        out.append(one)
        todo += list(member(one, ["imports", "imported_modules"]) or [])
    return out


def source(built, device_only):
    """What code generators printed; host code is left out on request."""
    parts = []
    for one in inner(built):
        text = None
        for how in ("inspect_source", "get_source"):
            try:
                text = text or getattr(one, how)()
            except Exception:  # a module that keeps no source
                continue
        kind = str(member(one, ["kind", "type_key"]) or "module")
        if text and not (device_only and kind in ("llvm", "c")):
            parts.append("// ---- %s\n%s" % (kind, text))
    if not parts:
        raise Refused("no generated source is kept for this target")
    return "\n".join(parts)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def export(built, request):
    how = {}
    if request.cc:
        how["cc"] = request.cc
    if request.cc_option:
        how["options"] = request.cc_option
    try:
        built.export_library(request.export, **how)
    except Exception as error:
        raise Refused("TVM does not export it: %s" % reason(error)) from error


# ---- values -------------------------------------------------------------------

def storage_type(np, dtype):
    """How files hold it."""
    if dtype == "bfloat16":
        return np.dtype(np.uint16)
    if dtype.startswith("float8"):
        return np.dtype(np.uint8)
    try:
        return np.dtype(dtype)
    except TypeError as error:
        raise Refused("arrays of %s cannot be made" % dtype) from error


def value_type(np, dtype):
    """How TVM takes it."""
    if dtype == "bfloat16" or dtype.startswith("float8"):
        import ml_dtypes
        return np.dtype(getattr(ml_dtypes, dtype))
    return storage_type(np, dtype)


def load(np, folder, argument):
    path = os.path.join(folder, argument["in"])
    dtype = argument["dtype"]
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise Wrong("%s: %s" % (path, error)) from error
    if array.dtype != storage_type(np, dtype):
        raise Wrong("%s holds %s; the parameter is %s" % (path, array.dtype,
                                                          dtype))
    return array.view(value_type(np, dtype))


def save(np, folder, argument, array):
    """Complete or not there."""
    path = os.path.join(folder, argument["out"])
    with open(path + ".tmp", "wb") as file:
        np.save(file, np.ascontiguousarray(array).view(
            storage_type(np, argument["dtype"])).reshape(array.shape))
    os.replace(path + ".tmp", path)


def run(tvm, call, arguments, device, folder):
    import numpy as np
    values = []
    for argument in arguments:
        array = load(np, folder, argument)
        if argument["kind"] == "tensor":
            tensor = tvm.runtime.empty(array.shape, argument["dtype"], device)
            tensor.copyfrom(array)
            values.append(tensor)
        else:
            values.append(array.item())
    try:
        call(*values)
        device.sync()
    except Exception as error:
        raise Refused("it does not run: %s" % reason(error)) from error
    for value, argument in zip(values, arguments):
        if argument["out"]:
            save(np, folder, argument, value.numpy())


def run_folders(tvm, request, target):
    call, device = None, device_of(tvm, target)
    for folder in request.operands:
        try:
            with open(os.path.join(folder, "request.json"),
                      encoding="utf-8") as file:
                asked = json.load(file)
            arguments, name = asked["arguments"], asked["function"]
        except (OSError, ValueError, KeyError) as error:
            raise Wrong("%s: no request: %s" % (folder, error)) from error
        if call is None and request.library:
            call = tvm.runtime.load_module(request.library)[name]
        elif call is None:
            if not asked.get("module"):
                raise Refused("the module has no form that TVM reads")
            mod = load_module(tvm, os.path.join(folder, asked["module"]))
            call = build(tvm, pick(tvm, mod, name)[0], target)[name]
        run(tvm, call, arguments, device, folder)


# ---- all -----------------------------------------------------------------------

def about(tvm):
    def ask(name):
        try:
            return getattr(tvm.target.codegen, name)()
        except Exception:  # built without LLVM
            return None
    gpu = tvm.cuda()
    arch = "sm_" + gpu.compute_version.replace(".", "") if gpu.exist else None
    print(json.dumps({"version": tvm.__version__,
                      "llvm": ask("llvm_version_major"),
                      "mcpu": ask("llvm_get_system_cpu"),
                      "cuda": bool(gpu.exist), "arch": arch}))


def parse(argv):
    parser = argparse.ArgumentParser(prog="tvm_runner.py", add_help=True)
    parser.add_argument("--about", action="store_true")
    parser.add_argument("--function")
    parser.add_argument("--target", default="llvm")
    parser.add_argument("--library")
    parser.add_argument("--export")
    parser.add_argument("--source")
    parser.add_argument("--cc")
    parser.add_argument("--cc-option", action="append")
    parser.add_argument("operands", nargs="*")
    return parser.parse_args(argv)


def work(request):
    tvm = import_tvm()
    if request.about:
        about(tvm)
        return
    target = target_of(tvm, request.target)
    if not request.export and not request.source:
        run_folders(tvm, request, target)
        return
    if len(request.operands) != 1:
        raise Wrong("one module is expected")
    mod, _ = pick(tvm, load_module(tvm, request.operands[0]), request.function)
    built = build(tvm, mod, target)
    if request.source:
        write(request.source, source(built, not is_cpu(target)))
    if request.export:
        export(built, request)


def main(argv):
    try:
        work(parse(argv))
    except (Refused, Wrong, NoDevice) as why:
        print("error: %s" % why, file=sys.stderr)
        return 1 if isinstance(why, Refused) else \
            2 if isinstance(why, Wrong) else NO_DEVICE
    except Exception as why:
        # The line that a report shows comes first.
        print("error: %s: %s" % (type(why).__name__, reason(why)),
              file=sys.stderr)
        traceback.print_exc()
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
