#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does TVM read what we print?

usage: check_script.py MANIFEST [--expected FILE] [--quiet]

MANIFEST has a line per module: original JSON, our TVMScript, a name, separated
by tabs. Both files are loaded by the TVM that runs this script (0.27) and
compared structurally, free variables mapped. Each failure is printed; the last
line is "N passed, N failed".

The file given to --expected lists names that may fail, each followed by a tab
and the reason. A listed module that passes is a failure too, so that the list
stays honest.
"""
import argparse
import collections
import os
import sys

import tvm
import tvm_ffi
from tvm.script import from_source


def compare(original, script):
    """None when equal, else what is wrong in one line."""
    with open(original, encoding="utf-8") as f:
        module = tvm.ir.load_json(f.read())
    with open(script, encoding="utf-8") as f:
        text = f.read()
    try:
        again = from_source(text, check_well_formed=False)
    except Exception as error:  # whatever the parser raises is a failure
        lines = [x.strip() for x in str(error).splitlines() if x.strip()]
        return "does not parse: " + " | ".join(lines)[:400]
    if tvm_ffi.structural_equal(module, again, map_free_vars=True):
        return None
    where = tvm_ffi.get_first_structural_mismatch(
        module, again, map_free_vars=True
    )
    return "differs: " + str(where)[:400]


class Child:
    """compare() in a process of its own: TVM crashes on some files."""

    def __init__(self, original, script):
        self.reader, writer = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.reader)
            with os.fdopen(writer, "w", encoding="utf-8") as f:
                f.write(compare(original, script) or "equal")
            os._exit(0)
        os.close(writer)

    def answer(self):
        """Waits for it; None when equal."""
        with os.fdopen(self.reader, encoding="utf-8") as f:
            answer = f.read()
        os.waitpid(self.pid, 0)
        if answer == "equal":
            return None
        return answer or "TVM crashed"


def answers(entries):
    """(name, answer) of each in order, as many at a time as processors."""
    running = collections.deque()
    for original, script, name in entries:
        running.append((name, Child(original, script)))
        if len(running) >= (os.cpu_count() or 1):
            first, child = running.popleft()
            yield first, child.answer()
    for name, child in running:
        yield name, child.answer()


def read_expected(path):
    expected = {}
    if path:
        with open(path, encoding="utf-8") as f:
            for line in f:
                line = line.rstrip("\n")
                if line and not line.startswith("#"):
                    name, _, reason = line.partition("\t")
                    expected[name] = reason
    return expected


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("manifest")
    parser.add_argument("--expected")
    parser.add_argument("--quiet", action="store_true")
    args = parser.parse_args()
    expected = read_expected(args.expected)
    passed = failed = 0
    with open(args.manifest, encoding="utf-8") as f:
        entries = [line.rstrip("\n").split("\t") for line in f if line.strip()]
    for name, problem in answers(entries):
        if (problem is None) == (name not in expected):
            passed += 1
            continue
        failed += 1
        if not args.quiet:
            if problem is None:
                print(f"{name}: passes, but is listed as: {expected[name]}")
            else:
                print(f"{name}: {problem}")
            sys.stdout.flush()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
