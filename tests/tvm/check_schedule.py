#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do our schedule primitives do what TVM's do?

usage: check_schedule.py REPLAY DIFFCHECK CASES [--expected FILE] [--verbose]

CASES holds folders as `diffcheck-gen --schedule` writes them: untuned.json and
steps.txt. Each step is applied by REPLAY, which says ok, illegal, bad or
unsupported, and by the TVM that runs this script. Per step the two verdicts
are compared; a step that only one side takes is undone there or ends the case.
At the end of a case both results are compared: structurally, else by DIFFCHECK,
which must find nothing.

Differences in verdict are sorted by primitive and our reason. Those where we
refuse are allowed if the file given to --expected lists them (primitive, TAB, a
part of the message, TAB, the reason); a step that TVM refuses and we take
counts as a failure unless listed as "accept TAB primitive TAB part of TVM's
message TAB reason", and results that may differ as "result TAB primitive
TAB part of the finding TAB reason". The last line is "N cases, N steps, N failed".
"""
import argparse
import collections
import os
import re
import subprocess
import sys

import tvm
import tvm_ffi
from tvm import s_tir
from tvm.script import tirx as T


TOKEN = re.compile(r'"[^"]*"|[\[\]]|[^\s,\[\]="]+')


def parse(line):
    """(names, word, arguments)"""
    left, assigns, right = line.partition(" = ")
    names = left.replace(",", " ").split() if assigns else []
    words = TOKEN.findall(right if assigns else line)
    return names, words[0], words[1:]


def value(word, names):
    if word in names:
        return names[word]
    if word == "None":
        return None
    if word.startswith('"lambda'):
        return eval(word[1:-1], {"T": T})  # diffcheck-gen wrote it
    if word.startswith('"'):
        return word.strip('"')
    return int(word)


def arguments(words, names):
    """Values; those in brackets as a list."""
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
    if word == "get_loops":
        return list(sch.get_loops(*args))
    if word == "split":
        return list(sch.split(args[0], args[1:]))
    if word == "fuse":
        return [sch.fuse(*args)]
    if word == "rfactor":
        return [sch.rfactor(*args)]
    if word in ("reindex", "transform_layout"):
        args[1] = tuple(args[1])
    result = getattr(sch, word)(*args)
    return [] if result is None else [result]


def reason(error):
    lines = [x.strip() for x in str(error).splitlines() if x.strip()]
    for line in lines:
        if "ScheduleError:" in line:
            return line.split("ScheduleError:", 1)[1].strip()
    return lines[0] if lines else type(error).__name__


def replay(tool, folder):
    out = os.path.join(folder, "ours.json")
    done = subprocess.run(
        [tool, os.path.join(folder, "untuned.json"),
         os.path.join(folder, "steps.txt"), out],
        check=True, capture_output=True, text=True)
    return done.stdout.splitlines(), out


class Case:
    """One folder: where the two sides part."""

    def __init__(self, folder, verdicts, diffcheck):
        self.folder = folder
        self.diffcheck = diffcheck
        self.judged = []  # our reason, verdict on what TVM made
        self.done = set()  # steps that both sides did
        self.verdicts = verdicts
        self.together = True  # both sides did the same steps
        self.differences = []
        self.agreed = collections.Counter()
        with open(os.path.join(folder, "untuned.json"), encoding="utf-8") as f:
            module = tvm.ir.load_json(f.read())
        if not isinstance(module, tvm.IRModule):
            module = tvm.IRModule({"main": module})
        self.sch = s_tir.Schedule(module, error_render_level="fast")

    def step(self, line, verdict, names):
        left, word, words = parse(line)
        if not word.startswith("get_") and not hasattr(self.sch, word):
            if verdict == "ok":  # not a primitive of TVM's
                self.together = False
            return verdict != "ok"
        ours = verdict.split(" ", 1)[0] == "ok"
        before = None if ours else self.sch.copy()
        try:
            args = arguments(words, names)
        except ValueError:
            self.together = False
            return False
        target = self.sch
        error = None
        try:
            out = apply(target, word, args)
        except Exception as problem:  # a refusal, whatever its class
            error = reason(problem)
        if word.startswith("get_"):
            if error is not None or not ours:
                self.together = False
                return False
        else:
            kind = ("refused by both" if not ours else "done by both")
            if ours != (error is None):
                kind = "differ"
                if verdict.startswith("unsupported"):
                    kind = "not supported here"
            kind = f"{word} {kind}"
            self.agreed[kind] += 1
            if ours and error is not None:
                self.differences.append(("accept", word, error, line))
                self.together = False
                return False
            if not ours and error is None:
                if not verdict.startswith("unsupported"):
                    self.judge(before.mod, verdict.split(" ", 1)[1])
                    self.differences.append(
                        ("refuse", word, verdict.split(" ", 1)[1], line))
                self.sch = before
                # names made before stand for the same things in a copy
        if ours and error is None:
            self.done.add(word)
            for name, item in zip(left, out):
                names[name] = item
        return True

    def judge(self, before, message):
        """Whether what TVM made of a step that we refuse is still right."""
        paths = []
        for name, module in (("after", self.sch.mod), ("before", before)):
            paths.append(os.path.join(self.folder, name + ".json"))
            with open(paths[-1], "w", encoding="utf-8") as f:
                f.write(tvm.ir.save_json(module))
        done = subprocess.run([self.diffcheck, *paths], capture_output=True,
                              text=True, check=False)
        words = done.stdout.split()
        found = [x for x in ("unsafe", "different", "identical", "order-only",
                             "algebraic", "precision", "agrees", "unknown")
                 if x in [w.strip(":,.") for w in words]]
        self.judged.append((message, found[0] if found else "?"))

    def run(self):
        names = {}
        at = 0
        with open(os.path.join(self.folder, "steps.txt"),
                  encoding="utf-8") as f:
            for line in f:
                line = line.strip()
                if not line or line.startswith("#"):
                    continue
                verdict = self.verdicts[at]
                at += 1
                if not self.step(line, verdict, names):
                    return
        return


def same(case, ours, diffcheck):
    """How the two results relate: equal, agree, or what is wrong."""
    with open(ours, encoding="utf-8") as f:
        mine = tvm.ir.load_json(f.read())
    theirs = case.sch.mod
    if not isinstance(mine, tvm.IRModule):
        mine = tvm.IRModule({"main": mine})
    if tvm_ffi.structural_equal(mine["main"], theirs["main"],
                                map_free_vars=True):
        return "equal"
    path = os.path.join(case.folder, "theirs.json")
    with open(path, "w", encoding="utf-8") as f:
        f.write(tvm.ir.save_json(theirs))
    done = subprocess.run([diffcheck, ours, path], capture_output=True,
                          text=True, check=False)
    first = done.stdout.splitlines()
    if done.returncode == 0:
        return "agree"
    if "the untuned module itself faults" in done.stdout:
        return "differ: TVM's result faults"
    return "differ: exit %d: %s" % (done.returncode,
                                    " | ".join(first[:3])[:300])


def read_expected(path):
    rows = []
    if path:
        with open(path, encoding="utf-8") as f:
            for line in f:
                line = line.rstrip("\n")
                if line and not line.startswith("#"):
                    rows.append(line.split("\t"))
    return rows


def is_expected(rows, kind, word, message):
    for row in rows:
        if row[0] == kind and row[1] in (word, "*") and row[2] in message:
            return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("replay")
    parser.add_argument("diffcheck")
    parser.add_argument("cases")
    parser.add_argument("--expected")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    rows = read_expected(args.expected)
    results = collections.Counter()
    agreed = collections.Counter()
    differences = collections.Counter()
    judged = collections.Counter()
    failed = []
    folders = sorted(
        (os.path.join(args.cases, x) for x in os.listdir(args.cases)
         if os.path.exists(os.path.join(args.cases, x, "steps.txt"))))
    for folder in folders:
        verdicts, ours = replay(args.replay, folder)
        case = Case(folder, verdicts, args.diffcheck)
        case.run()
        agreed.update(case.agreed)
        for message, verdict in case.judged:
            judged[(re.sub("'[^']*'", "'X'", message), verdict)] += 1
        for kind, word, message, line in case.differences:
            differences[(kind, word, message)] += 1
            if not is_expected(rows, kind, word, message):
                failed.append(f"{folder}: {kind} {line}: {message}")
        if case.together:
            result = same(case, ours, args.diffcheck)
            results[result.split(":")[0]] += 1
            if result.startswith("differ") and not any(
                    is_expected(rows, "result", word, result)
                    for word in case.done):
                failed.append(f"{folder}: {result}")
        else:
            results["apart"] += 1
    for key, count in sorted(agreed.items()):
        print(f"{count:6} {key}")
    print("taken by TVM, refused here, and what compare says of TVM's result:")
    for (message, verdict), count in sorted(judged.items()):
        print(f"{count:6} {verdict:10} {message}")
    if args.verbose:
        for key, count in sorted(differences.items()):
            print(f"{count:6} {' / '.join(key)}")
    for line in failed[:40]:
        print(line)
    print(f"results: {dict(sorted(results.items()))}")
    print(f"{len(folders)} cases, {sum(agreed.values())} steps, "
          f"{len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
