# SPDX-License-Identifier: Apache-2.0
#
# Are TVM's code generators, as targets, exact or explained by what they declare?
#
#   python check_targets.py DIFFCHECK SHARED WORK TABLE [--only WORD]
#                           [--targets LIST] [--log FILE]
#
# Each pair of the data goes through `diffcheck TUNED UNTUNED --targets`: every
# outcome must be `exact`, `explained` or `skipped`, or the row (pair, target)
# is in TABLE with the outcome, a piece of the reason, and what it is. A row that
# has become better is a failure, too. Without --only every third pair is run, and
# those of TABLE; all with DIFFCHECK_TVM_ALL in the environment. One process serves as all Pythons
# (forked_python.py), since importing TVM takes longer than a build. --log adds
# a line of JSON for each pair.
#
# Exit 1 on a failure, 77 when the data are not there.

import collections
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys

FAMILIES = ["schedule", "passes", "eras", "relax", "mutants", "seed0",
            "metaschedule", "dlight"]
TARGETS = "tvm-c,tvm-llvm,tvm-llvm-native"
FINE = ("exact", "explained", "skipped")
SECONDS = 1800  # a pair; only guards against hangs

# Of the pairs that are not run by default, two: a kernel that is too long for
# float16 in software, of which TVM gets a part, and functions without a module.
ALWAYS = {"seed0/conv_metaschedule", "pairs/gemm-tiled-predicated"}


def pairs(shared):
    for family in FAMILIES:
        root = os.path.join(shared, "data", "tvm", family)
        for name in sorted(os.listdir(root)) if os.path.isdir(root) else []:
            untuned = os.path.join(root, name, "untuned.json")
            tuned = os.path.join(root, name, "tuned.json")
            if os.path.exists(untuned) and os.path.exists(tuned):
                yield family + "/" + name, tuned, untuned
    root = os.path.join("corpora", "pairs")
    for name in sorted(os.listdir(root)):
        untuned = os.path.join(root, name, "untuned.py")
        if os.path.exists(untuned):
            yield "pairs/" + name, os.path.join(root, name, "tuned.py"), untuned
    root = os.path.join(shared, "data", "live-bugs")
    for name in sorted(os.listdir(root)) if os.path.isdir(root) else []:
        about = os.path.join(root, name, "case.json")
        if not os.path.exists(about):
            continue
        with open(about, encoding="utf-8") as file:
            case = json.load(file)
        if "expect_target" in case or case["expect"] == "precision":
            yield ("live-bugs/" + name, os.path.join(root, name, "tuned.json"),
                   os.path.join(root, name, "untuned.json"))


def read_table(path):
    table = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = line.rstrip("\n").split("\t")
            if len(cells) == 5 and not line.startswith("#"):
                table[cells[0], cells[1]] = (cells[2], cells[3])
    return table


def outcomes(binary, cache, python, targets, tuned, untuned):
    """[(function, target, outcome, hypothesis, reason)], or what went wrong."""
    done = subprocess.run(
        [binary, tuned, untuned, "--targets", targets, "--python", python,
         "--cache", cache, "--format", "json", "-j", "1"],
        capture_output=True, text=True, timeout=SECONDS, check=False)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        return [], "exit status %d: %s" % (done.returncode, done.stderr[:200])
    if done.returncode in (2, 3):
        return [], "exit status %d: %s" % (done.returncode, report["error"])
    return [(pair["function"], t["target"], t["outcome"], t.get("hypothesis"),
             t.get("reason", "")) for pair in report["pairs"]
            for t in pair["targets"]], None


def judge(table, label, rows):
    """Failures, and the rows of the table that were met."""
    failures, met = [], set()
    for function, target, outcome, _, reason in rows:
        want = table.get((label, target))
        if want and want[0] == outcome and want[1] in reason:
            met.add((label, target))
        elif outcome not in FINE:
            failures.append("%s, %s on %s: %s: %s" % (label, function, target,
                                                      outcome, reason))
    return failures, met


def main(argv):
    def option(name, other):
        return argv[argv.index(name) + 1] if name in argv else other

    binary, shared, work, path = argv[1:5]
    only, targets = option("--only", ""), option("--targets", TARGETS)
    table = read_table(path)
    if not os.path.isdir(os.path.join(shared, "data", "tvm")):
        print("skipped: %s/data/tvm is not there" % shared)
        return 77
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    python = os.path.abspath(os.path.join(work, "python"))
    # A socket's name is short.
    socket = "/tmp/diffcheck-python.%d" % os.getpid()
    here = os.path.dirname(os.path.abspath(__file__))
    server = subprocess.Popen(
        [sys.executable, os.path.join(here, "forked_python.py"), socket,
         python], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdout.readline() == b"ready\n"
    named = {label for label, target in table} | ALWAYS
    every = 1 if only or "DIFFCHECK_TVM_ALL" in os.environ else 3
    todo = [p for k, p in enumerate(pairs(shared))
            if only in p[0] and (k % every == 0 or p[0] in named)]
    failures, met, count = [], set(), collections.Counter()
    log = open(option("--log", os.devnull), "a", encoding="utf-8")

    def one(pair):
        return pair[0], outcomes(binary, os.path.join(work, "cache"), python,
                                 targets, pair[1], pair[2])

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for label, (rows, wrong) in pool.map(one, todo):
            if wrong:
                failures.append("%s: %s" % (label, wrong))
            new, known = judge(table, label, rows)
            failures += new
            met |= known
            for row in rows:
                count[row[1], row[2], row[3] or ""] += 1
            log.write(json.dumps([label, rows]) + "\n")
    server.stdin.close()
    server.wait()
    os.unlink(socket)
    shutil.rmtree(work, ignore_errors=True)
    labels = {p[0] for p in todo}
    for row in sorted(set(table) - met):
        if row[0] in labels and row[1] in targets.split(","):
            failures.append("%s on %s: the table says %s" % (row + table[row][:1]))
    for key in sorted(count):
        print("%-16s %-12s %-32s %5d" % (key + (count[key],)))
    for failure in sorted(failures):
        print("FAILED:", failure)
    print("%d pairs, %d failed" % (len(todo), len(failures)))
    return 1 if failures or not todo else 0


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit("usage: check_targets.py DIFFCHECK SHARED WORK TABLE "
                 "[--only WORD] [--targets LIST] [--log FILE]")
    sys.exit(main(sys.argv))
