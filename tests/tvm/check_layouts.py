#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is corpora/layouts what TVM makes of the steps, and do we make the same?

usage: check_layouts.py REPLAY DIFFCHECK FOLDERS OUT [--write]

Each folder of FOLDERS has a program (untuned.py), steps as text (steps.txt,
see schedule/trace.c) and what the TVM that runs this script makes of them
(tuned.py): that is done again and compared with the file, or the file is
written anew with --write. Then REPLAY does the steps; what comes out must be
readable for TVM, and equal to its result, else DIFFCHECK must call both
identical. The last line is "N cases, N equal, N identical, N failed".
"""
import argparse
import importlib.util
import os
import re
import subprocess
import sys

import tvm
import tvm_ffi
from tvm import s_tir
from tvm.script import tirx as T

TOKEN = re.compile(r'"[^"]*"|[\[\]=]|[^\s,\[\]="]+')


def value(word, names):
    if word in names:
        return names[word]
    if word == "None":
        return None
    if word.startswith('"lambda'):
        return eval(word[1:-1], {"T": T})  # a file of this repository
    return word[1:-1] if word.startswith('"') else int(word)


def arguments(words, names):
    """Values, lists within brackets."""
    stack = [[]]
    for word in words:
        if word == "[":
            stack.append([])
        elif word == "]":
            inner = stack.pop()
            stack[-1].append(inner)
        else:
            stack[-1].append(value(word, names))
    return stack[0]


def apply(sch, word, args):
    """The step's results."""
    if word == "get_block":
        return [sch.get_sblock(*args)]
    if word == "split":
        return list(sch.split(args[0], args[1:]))
    if len(args) > 1 and isinstance(args[1], list) and word != "pad_einsum":
        args[1] = tuple(args[1])  # ("read", 0)
    result = getattr(sch, word)(*args)
    if result is None:
        return []
    return list(result) if isinstance(result, (list, tuple)) else [result]


def load_program(path):
    spec = importlib.util.spec_from_file_location("untuned", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return tvm.IRModule({"main": module.main.with_attr("global_symbol",
                                                       "main")})


def do_steps(module, path):
    sch = s_tir.Schedule(module)
    names = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            words = TOKEN.findall(line)
            if not words or line.startswith("#"):
                continue
            at = words.index("=") + 1 if "=" in words else 0
            out = apply(sch, words[at], arguments(words[at + 1:], names))
            for name, item in zip(words[:max(at - 1, 0)], out):
                names[name] = item
    return sch.mod


def text_of(module):
    """As TVM prints it, with imports that an interpreter can do."""
    lines = [x.rstrip() for x in module.script().splitlines()
             if "tvm.tirx.layout" not in x]
    text = "\n".join(lines).strip() + "\n"
    return re.sub(r"^# (from tvm\.script import .*)$", r"\1", text, flags=re.M)


def check(folder, args):
    """equal, identical, or what is wrong."""
    name = os.path.basename(folder)
    before = load_program(os.path.join(folder, "untuned.py"))
    theirs = do_steps(before, os.path.join(folder, "steps.txt"))
    tuned = os.path.join(folder, "tuned.py")
    if args.write:
        with open(tuned, "w", encoding="utf-8") as f:
            f.write(text_of(theirs))
    with open(tuned, encoding="utf-8") as f:
        if f.read() != text_of(theirs):
            return "tuned.py is not what this TVM makes of the steps"
    paths = [os.path.join(args.out, f"{name}.{x}.json")
             for x in ("before", "ours", "theirs")]
    for path, module in ((paths[0], before), (paths[2], theirs)):
        with open(path, "w", encoding="utf-8") as f:
            f.write(tvm.ir.save_json(module))
    done = subprocess.run([args.replay, paths[0],
                           os.path.join(folder, "steps.txt"), paths[1]],
                          capture_output=True, text=True, check=True)
    refused = [x for x in done.stdout.splitlines() if x != "ok"]
    if refused:
        return "refused here: " + refused[0]
    with open(paths[1], encoding="utf-8") as f:
        ours = tvm.ir.load_json(f.read())
    if tvm_ffi.structural_equal(ours, theirs, map_free_vars=True):
        return "equal"
    done = subprocess.run([args.diffcheck, "compare", paths[1], paths[2]],
                          capture_output=True, text=True, check=False)
    first = done.stdout.split()[:1]
    return "identical" if first == ["IDENTICAL"] else done.stdout[:400]


def main():
    parser = argparse.ArgumentParser()
    for name in ("replay", "diffcheck", "folders", "out"):
        parser.add_argument(name)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    counts = {"equal": 0, "identical": 0}
    failed = 0
    cases = sorted(os.listdir(args.folders))
    for name in cases:
        result = check(os.path.join(args.folders, name), args)
        if result in counts:
            counts[result] += 1
        else:
            failed += 1
            print(f"{name}: {result}")
    print(f"{len(cases)} cases, {counts['equal']} equal, "
          f"{counts['identical']} identical, {failed} failed")
    sys.exit(1 if failed or not cases else 0)


if __name__ == "__main__":
    main()
