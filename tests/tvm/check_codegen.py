# SPDX-License-Identifier: Apache-2.0
#
# What TVM's code generators are known to do, case by case, and libraries that
# TVM exports.
#
#   python check_codegen.py DIFFCHECK PYTHON WORK TREE
#
# Each module of corpora/codegen says in lines "# expect TARGET OUTCOME [TEXT]"
# what diffcheck finds on TVM's targets: TEXT is the hypothesis or a part of the
# reason or of the details. docs/findings.md describes the faults. Then a module
# is exported by TVM and called without it; a library of another module is
# 'wrong'. TREE draws the order in which a sum compiled by TVM is added.
#
# Exit 1 on a failure.

import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
CASES = os.path.join(ROOT, "corpora", "codegen")
RUNNER = os.path.join(ROOT, "diff", "targets", "tvm_runner.py")


def compare(binary, arguments):
    """{target: entry of the report}"""
    done = subprocess.run([binary] + arguments + ["--format", "json"],
                          capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    if report.get("error"):
        return {"": {"outcome": "exit %d: %s" % (done.returncode,
                                                 report["error"])}}
    return {t["target"]: t for pair in report["pairs"] for t in pair["targets"]}


def expectations(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("# expect "):
                words = line.split(None, 4)[2:]
                yield words[0], words[1], words[2].strip() \
                    if len(words) > 2 else ""


def check_case(binary, python, cache, path):
    wants = list(expectations(path))
    got = compare(binary, [path, path, "--python", python, "--cache", cache,
                           "--targets", ",".join(w[0] for w in wants)])
    for target, outcome, text in wants:
        entry = got.get(target, {"outcome": str(got)})
        told = " ".join(str(entry.get(k)) for k in ("hypothesis", "reason",
                                                    "detail"))
        if entry["outcome"] != outcome or text not in told:
            yield "%s on %s: %s %s, expected %s %s" % (
                os.path.basename(path), target, entry["outcome"],
                entry.get("hypothesis") or entry.get("reason"), outcome, text)


def export(binary, python, work, name):
    """A shared library of the module."""
    source = os.path.join(CASES, name + ".py")
    text = subprocess.run([binary, "show", "--json", source], check=True,
                          capture_output=True, text=True).stdout
    module = os.path.join(work, name + ".json")
    library = os.path.join(work, name + ".so")
    with open(module, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([python, RUNNER, "--export", library, module], check=True)
    return source, library


def check_libraries(binary, python, work):
    cache = os.path.join(work, "cache")
    source, library = export(binary, python, work, "c_literal_single")
    other = export(binary, python, work, "c_vector")[1]
    for tuned, outcome in ((library, "exact"), (other, "wrong")):
        got = compare(binary, [source, source, "--cache", cache, "--library",
                               "tuned=" + tuned, "--library",
                               "untuned=" + library])["library"]
        if got["outcome"] != outcome:
            yield "library %s: %s %s, expected %s" % (
                tuned, got["outcome"], got.get("reason"), outcome)


def check_tree(tool, library, n, describe):
    """The order of a sum of n terms in a library."""
    done = subprocess.run([tool, library, str(n)], capture_output=True,
                          text=True, check=False)
    print(done.stdout, end="")
    if done.returncode != 0 or describe not in done.stdout:
        yield "%s: %s%s, expected '%s'" % (library, done.stdout, done.stderr,
                                           describe)


def main(binary, python, work, tool):
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    failures = []
    names = sorted(os.listdir(CASES))
    for name in names:
        failures += check_case(binary, python, os.path.join(work, "cache"),
                               os.path.join(CASES, name))
    failures += check_libraries(binary, python, work)
    for name, describe in (("dot", "one after the other"),
                           ("dot_lanes", "8 lanes; lanes are combined one")):
        _, library = export(binary, python, work, name)
        failures += check_tree(tool, library, 64, describe)
    shutil.rmtree(work, ignore_errors=True)
    for failure in failures:
        print("FAILED:", failure)
    print("%d cases, %d failed" % (len(names), len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit("usage: check_codegen.py DIFFCHECK PYTHON WORK TREE")
    sys.exit(main(*sys.argv[1:]))
