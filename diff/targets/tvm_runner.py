# SPDX-License-Identifier: Apache-2.0
"""Builds one function of a module with an installed TVM and runs it.

    python tvm_runner.py [--function NAME] [--target TARGET] [--library FILE]
                         [--source FILE] MODULE.json DIR...

The protocol of docs/runner-protocol.md: each DIR holds arg0.npy, arg1.npy, …,
one a parameter (scalars of rank 0; bfloat16 and float8 as the unsigned
integers of their bits). The function runs once in each, and out<i>.npy gets
parameter i as it is afterwards, for every tensor.

TARGET is what tvm.target.Target takes: a name such as "llvm", or JSON such as
{"kind": "llvm", "mcpu": "x86-64-v3"}. --library loads a shared library that
TVM exported instead of building the module, which then only tells the types.
--source writes what the code generator printed (LLVM IR, C, CUDA, …); with no
DIR nothing runs, and no device is needed.

Exit status: 0 done; 1 TVM refuses to build or to run (the reason is the last
line on standard error); 2 the command line or a file is wrong. A crash of TVM
is a crash of this process and of nothing else.
"""
import argparse
import json
import os
import sys

import numpy as np


class Refused(Exception):
    """TVM does not do it."""


class Wrong(Exception):
    """The request is wrong."""


def load_module(tvm, path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        return tvm.ir.load_json(text)
    except Exception as error:
        raise Refused("TVM does not read the module: %s" % reason(error)) \
            from error


def reason(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:200] if lines else type(error).__name__


def pick(mod, name):
    named = {var.name_hint: func for var, func in mod.functions.items()}
    if name is None:
        name = "main" if "main" in named else next(iter(sorted(named)))
    if name not in named:
        raise Wrong("the module has no function '%s'" % name)
    return name, named[name]


def parameter_types(func):
    """[dtype of each parameter, and whether it is a tensor]"""
    out = []
    buffers = getattr(func, "buffer_map", {})
    for param in func.params:
        if param in buffers:
            out.append((str(buffers[param].dtype), True))
        elif hasattr(param, "shape") and hasattr(param, "strides"):
            out.append((str(param.dtype), True))
        elif hasattr(param, "dtype") and "handle" not in str(param.dtype):
            out.append((str(param.dtype), False))
        elif hasattr(param, "ty") or hasattr(param, "struct_info"):
            info = getattr(param, "ty", None)
            if not hasattr(info, "dtype"):
                info = param.struct_info
            out.append((str(info.dtype), True))
        else:
            raise Refused("parameter '%s' is a bare pointer" % param.name)
    return out


def target_of(tvm, text):
    try:
        return tvm.target.Target(json.loads(text) if text.startswith("{")
                                 else text)
    except Exception as error:
        raise Refused("TVM does not know the target: %s" % reason(error)) \
            from error


def device_of(tvm, target):
    kind = target.kind.name
    if kind in ("llvm", "c"):
        return tvm.cpu()
    device = tvm.device(kind)
    if not device.exist:
        raise Refused("there is no %s device here" % kind)
    return device


def build(tvm, mod, target):
    try:
        return tvm.compile(mod, target=target)
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


def source(built):
    parts = []
    for one in inner(built):
        text = None
        for how in ("inspect_source", "get_source"):
            try:
                text = text or getattr(one, how)()
            except Exception:  # a module that keeps no source
                continue
        if text:
            kind = member(one, ["kind", "type_key"]) or "module"
            parts.append("// ---- %s\n%s" % (kind, text))
    if not parts:
        raise Refused("no generated source is kept for this target")
    return "\n".join(parts)


# ---- values -------------------------------------------------------------------

def storage_type(dtype):
    """How files hold it."""
    if dtype == "bfloat16":
        return np.dtype(np.uint16)
    if dtype.startswith("float8"):
        return np.dtype(np.uint8)
    return np.dtype(dtype)


def value_type(dtype):
    """How TVM takes it."""
    if dtype == "bfloat16" or dtype.startswith("float8"):
        import ml_dtypes
        return np.dtype(getattr(ml_dtypes, dtype))
    return np.dtype(dtype)


def load(folder, i, dtype):
    path = os.path.join(folder, "arg%d.npy" % i)
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise Wrong("%s: %s" % (path, error)) from error
    if array.dtype != storage_type(dtype):
        raise Wrong("%s holds %s; the parameter is %s" % (path, array.dtype,
                                                          dtype))
    return array.view(value_type(dtype))


def save(folder, i, array, dtype):
    """Complete or not there."""
    path = os.path.join(folder, "out%d.npy" % i)
    with open(path + ".tmp", "wb") as file:
        np.save(file, np.ascontiguousarray(array).view(storage_type(dtype))
                .reshape(array.shape))
    os.replace(path + ".tmp", path)


def new_tensor(tvm, array, dtype, device):
    tensor = tvm.runtime.empty(array.shape, dtype, device)
    tensor.copyfrom(array)
    return tensor


def run(tvm, call, types, device, folder):
    args = []
    for i, (dtype, is_tensor) in enumerate(types):
        array = load(folder, i, dtype)
        args.append(new_tensor(tvm, array, dtype, device) if is_tensor
                    else array.item())
    try:
        call(*args)
        device.sync()
    except Exception as error:
        raise Refused("it does not run: %s" % reason(error)) from error
    for i, (dtype, is_tensor) in enumerate(types):
        if is_tensor:
            save(folder, i, args[i].numpy(), dtype)


# ---- all -----------------------------------------------------------------------

def parse(argv):
    parser = argparse.ArgumentParser(prog="tvm_runner.py", add_help=True)
    parser.add_argument("--function")
    parser.add_argument("--target", default="llvm")
    parser.add_argument("--library")
    parser.add_argument("--source")
    parser.add_argument("module")
    parser.add_argument("folders", nargs="*")
    return parser.parse_args(argv)


def work(request):
    try:
        import tvm
    except ImportError as error:
        raise Refused("Python has no TVM: %s" % error) from error
    mod = load_module(tvm, request.module)
    name, func = pick(mod, request.function)
    target = target_of(tvm, request.target)
    built = (tvm.runtime.load_module(request.library) if request.library
             else build(tvm, mod, target))
    if request.source:
        with open(request.source, "w", encoding="utf-8") as file:
            file.write(source(built))
    if not request.folders:
        return
    device = device_of(tvm, target)
    if "relax" in str(type(func)):
        raise Refused("a Relax function's results are no parameters")
    types = parameter_types(func)
    for folder in request.folders:
        run(tvm, built[name], types, device, folder)


def main(argv):
    try:
        work(parse(argv))
    except (Refused, Wrong) as why:
        print("tvm_runner.py: %s" % why, file=sys.stderr)
        return 1 if isinstance(why, Refused) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
