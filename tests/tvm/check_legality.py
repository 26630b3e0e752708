#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does TVM refuse what corpora/schedules says is illegal?

usage: check_legality.py DIFFCHECK SCHEDULES WORK [--list]

SCHEDULES/NAME/workload.py has a program, each SCHEDULES/NAME/*.txt steps; its first
line says what we do: "# expect legal", or "# expect illegal STEP PART" (also "bad",
"unknown": ways of refusing). The steps are done by the TVM that runs this script. It
must refuse the step that we refuse and none before it, or take all; what it makes of
steps that both take must mean the same as the workload, as DIFFCHECK says. Where it
is otherwise a line says so, and why:

    # TVM: illegal, REASON          it refuses steps, all of which we take
    # TVM: legal, REASON            it takes the step that we refuse
    # TVM: legal, VERDICT: REASON   the same, or what it makes has that verdict

A line that says so where it is not is a failure, too. The last line is "N schedules,
N told apart, N failed".
"""
import argparse
import glob
import os
import re
import subprocess
import sys

import tvm
from tvm import s_tir

VERDICTS = ("identical", "order-only", "algebraic", "precision", "agrees",
            "different", "unsafe", "unknown")
SAME = ("identical", "order-only")


def words_of(text):
    """Words, strings with their quotes, and brackets."""
    return re.findall(r'"(?:\\.|[^"\\])*"|\[|\]|[^\s,=\[\]]+', text)


def parse(line):
    """(names, word, words of arguments)"""
    quoted = line.find('"')
    equals = line.find(" = ")
    if equals < 0 or 0 <= quoted < equals:
        left, right = "", line
    else:
        left, right = line[:equals], line[equals + 3:]
    words = words_of(right)
    return words_of(left), words[0], words[1:]


def arguments(words, names):
    """Arguments up to the bracket that ends the list; words are used up."""
    out = []
    while words:
        word = words.pop(0)
        if word == "]":
            break
        if word == "[":
            inner = arguments(words, names)
            pair = inner and isinstance(inner[0], str)
            out.append(tuple(inner) if pair else inner)  # a buffer
        elif word in names:
            out.append(names[word])
        elif word == "None":
            out.append(None)
        elif word.startswith('"'):
            text = word[1:-1].encode().decode("unicode_escape")
            # pylint: disable=eval-used # index maps are Python's lambdas
            out.append(eval(text) if text.startswith("lambda") else text)
        else:
            out.append(int(word) if re.fullmatch(r"-?\d+", word)
                       else float(word))
    return out


def axes(sch, block, kind, at=None):
    """Loops that a block's iterators of a kind are bound to."""
    name = sch.get(block).name_hint
    loops = sch.get_loops(block)
    body = sch.get(loops[-1]).body
    realize = [x for x in getattr(body, "seq", [body])
               if getattr(getattr(x, "block", None), "name_hint", "") == name]
    wanted = tvm.tirx.IterVar.DataPar if kind == "spatial" else \
        tvm.tirx.IterVar.CommReduce
    out = []
    for iterator, value in zip(realize[0].block.iter_vars,
                               realize[0].iter_values):
        if iterator.iter_type == wanted:
            out += [x for x in loops if sch.get(x).loop_var.same_as(value)]
    return out if at is None else [out[at]]


# Words whose call in TVM is not called so, or takes its arguments otherwise.
CALLS = {
    "get_block": lambda s, *a: s.get_sblock(*a),
    "get_axes": axes,
    "get_axis": axes,
    "split": lambda s, loop, *f: s.split(loop, list(f)),
    "loop_partition": lambda s, loop, *f: s.loop_partition(loop, list(f)),
}


def apply(sch, word, args):
    """The step's results."""
    call = CALLS.get(word)
    result = call(sch, *args) if call else getattr(sch, word)(*args)
    if result is None:
        return []
    if isinstance(result, (list, tuple, tvm.ir.Array)):
        return list(result)
    return [result]


def reason(problem):
    lines = [x.strip() for x in str(problem).splitlines() if x.strip()]
    for line in lines:
        if "ScheduleError:" in line:
            return line.split("ScheduleError:", 1)[1].strip()
    return lines[0] if lines else type(problem).__name__


def read_case(path):
    """(what is expected, step, what TVM does if it is otherwise)"""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file]
    words = lines[0].split()
    if words[:2] != ["#", "expect"]:
        raise SystemExit(f"{path}: says nothing of what is expected")
    other = None
    for line in lines[1:]:
        if line.startswith("# TVM: "):
            other = line[len("# TVM: "):]
    return words[2], int(words[3]) if len(words) > 3 else 0, other


def load(path):
    with open(path, encoding="utf-8") as file:
        text = "".join(x for x in file if not x.startswith("from "))
    module = tvm.script.from_source(text, check_well_formed=False)
    if not isinstance(module, tvm.IRModule):
        module = tvm.IRModule({"main": module})
    return module


def run(steps, module):
    """(the number of the step that TVM refuses, 0: none; why; the schedule)"""
    sch = s_tir.Schedule(module, error_render_level="fast")
    names = {}
    for at, line in enumerate(steps, 1):
        left, word, words = parse(line)
        try:
            args = arguments(words, names)
        except ValueError as problem:
            return at, str(problem), sch
        try:
            out = apply(sch, word, args)
        except Exception as problem:  # pylint: disable=broad-except
            return at, reason(problem), sch  # of any class: refused
        if left and len(left) != len(out):
            return at, f"{len(out)} results", sch
        names.update(zip(left, out))
    return 0, "", sch


class Judge:
    """What TVM does with a case, and whether that is what its file says."""

    def __init__(self, diffcheck, work):
        self.diffcheck = diffcheck
        self.work = work

    def steps(self, workload, path):
        done = subprocess.run([self.diffcheck, "schedule", workload, path,
                               "--steps"], check=True, capture_output=True,
                              text=True)
        return done.stdout.splitlines()

    def verdict(self, sch, workload):
        """What compare says of TVM's result."""
        path = os.path.join(self.work, "tvm.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(tvm.ir.save_json(sch.mod))
        done = subprocess.run([self.diffcheck, path, workload],
                              capture_output=True, text=True, check=False)
        first = done.stdout.split()
        return first[0].lower() if first else done.stderr.strip()

    def told(self, workload, path):
        """(what happened as the file would say it, faults)"""
        expect, step, other = read_case(path)
        refused, why, sch = run(self.steps(workload, path), load(workload))
        if refused:
            did = "illegal"
            if expect != "legal" and refused != step:
                return did, [f"TVM refuses step {refused}: {why}"]
        else:
            did = "legal, " + self.verdict(sch, workload)
        legal = expect == "legal"
        if other is None:
            agrees = legal != bool(refused) and (
                refused or did[len("legal, "):] in SAME)
            return did, [] if agrees else [f"TVM: {did} {why}"]
        faults = []
        claim, _, reason = other.partition(", ")
        verdict = reason.partition(":")[0]
        if claim not in ("legal", "illegal") or not reason:
            faults.append(f"'# TVM: {other}' gives no reason")
        elif claim != did.partition(",")[0]:
            faults.append(f"TVM: {did} {why}")
        elif claim == "legal" and verdict in VERDICTS and \
                did != f"legal, {verdict}":
            faults.append(f"TVM: {did}, not {verdict}")
        elif (claim == "legal") == legal and (refused or verdict in SAME or
                                              verdict not in VERDICTS):
            faults.append("TVM does the same: no difference to tell")
        return did, faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("diffcheck")
    parser.add_argument("schedules")
    parser.add_argument("work")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    judge = Judge(args.diffcheck, args.work)
    failed, apart = [], 0
    paths = sorted(glob.glob(os.path.join(args.schedules, "*", "*.txt")))
    for path in paths:
        workload = os.path.join(os.path.dirname(path), "workload.py")
        did, faults = judge.told(workload, path)
        apart += read_case(path)[2] is not None
        failed += [f"{path}: {fault}" for fault in faults]
        if args.list:
            print(f"{path}: {did}")
    for line in failed:
        print(line)
    print(f"{len(paths)} schedules, {apart} told apart, {len(failed)} failed")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
