# SPDX-License-Identifier: Apache-2.0
"""What diffcheck makes of a runner that is wrong in one known way.

sweep.py DIFFCHECK RUNNER [--fast] [--jobs N] [--only KERNELS] [--ways LIST]
         [--every N] [--first K] [--rows FILE]

Runs every kernel of tests/faulty/kernels with every fault in every scope, and
with every legitimate variant, many to a command. A fault counts where it
changes some output of the kernel by more than one rounding, on inputs that the
runner makes by itself (`RUNNER effect`); a variant where it changes any bit.

Required, else exit status 1:
  no command ends otherwise than with a report;
  at least a share of 0.99 (--faults) of the faults end as wrong, unexplained, deviates or
  nondeterministic, none as exact or explained;
  of the variants none ends as a fault does, at least a share of
  0.9 (--variants) as exact or explained, with the cause that they have.
--fast: each fault once and every other variant. --every N --first K: each N-th of what
counts, from the K-th on. --rows: all outcomes, appended as they come.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FOUND = ("wrong", "unexplained", "deviates", "nondeterministic")
BATCH = 6

# What the hypothesis of a variant has to say, on any kernel.
CAUSES = {
    "fma-left": r"contract|sum[1-4]|tree|mixed|forward",
    "fma-right": r"contract|sum[1-4]|tree|mixed|forward",
    "reversed": r"order|tree",
    "lanes-4": r"lanes|tree",
    "lanes-8": r"lanes|tree",
    "lanes-16": r"lanes|tree",
    "lanes-8-fma": r"lanes|contract|tree|mixed",
    "lanes-4-neighbours": r"lanes|tree",
    "tree": r"tree|lanes|combine|halves",
    "pairwise": r"tree|lanes|combine|halves",
    "kahan": r"compensated|keep|tree",
    "wide": r"keep|half|wide|tree",
    "reciprocal": r"divide",
    "rsqrt": r"sqrt|divide",
    "exp-libm": r"functions",
    "exp-ulp": r"functions",
    "split-2": r"tree|lanes|parts2|halves",
    "split-4": r"tree|lanes|parts4",
    "dots-of-4": r"tree|dots|matrix",
    "flushing": r"flush",
}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


class Sweep:
    def __init__(self, args):
        self.args = args
        here = os.path.dirname(os.path.abspath(__file__))
        self.kernels = os.path.join(here, "kernels")
        self.lists = collections.defaultdict(list)
        for line in run(args.runner, "list").stdout.splitlines():
            kind, name = line.split()
            self.lists[kind].append(name)

    def counts(self, kernel, way, scope):
        """Whether it is a fault there, or a variant of its own."""
        fault = way in self.lists["fault"]
        effect = run(self.args.runner, "effect", kernel, way, scope).stdout
        return way == "strict" or float(effect) > (1 if fault else 0)

    def all_tasks(self, ways, kernels):
        for kernel in kernels:
            for way in ways:
                fault = way in self.lists["fault"]
                for scope in self.lists["scope"] if fault else ["all"]:
                    yield kernel, way, scope

    def fast_tasks(self, ways, kernels):
        """Each fault and every other variant once, on kernels and in scopes that
        take turns."""
        scopes = self.lists["scope"]
        variants = [w for w in ways if w not in self.lists["fault"]]
        ways = variants[::2] + [w for w in ways if w in self.lists["fault"]]
        for i, way in enumerate(ways):
            fault = way in self.lists["fault"]
            turns = [(kernels[(i + k) % len(kernels)], way,
                      scopes[(i + k) % len(scopes)] if fault else "all")
                     for k in range(len(kernels) * len(scopes))]
            yield next((t for t in turns if self.counts(*t)), turns[0])

    def tasks(self):
        """(way, scope) of what counts, by kernel."""
        out = collections.defaultdict(list)
        wanted = self.args.ways.split(",") if self.args.ways else None
        ways = [w for w in self.lists["variant"] + self.lists["fault"]
                if wanted is None or w in wanted]
        kernels = self.args.only.split(",") if self.args.only else self.lists["kernel"]
        make = self.fast_tasks if self.args.fast else self.all_tasks
        chosen = [t for t in make(ways, kernels) if self.counts(*t)]
        for kernel, way, scope in chosen[self.args.first::self.args.every]:
            out[kernel].append((way, scope))
        return out

    def batch(self, job):
        kernel, some = job
        path = os.path.join(self.kernels, kernel + ".py")
        command = [self.args.diffcheck, path, path, "--format", "json",
                   "-j", "1", "--no-proof"]
        for way, scope in some:
            command += ["--runner", "%s.%s=%s %s %s %s" % (
                way, scope, self.args.runner, kernel, way, scope)]
        done = run(*command)
        try:
            targets = json.loads(done.stdout)["pairs"][0]["targets"]
            return [(kernel, *t["target"].split("."), t["outcome"],
                     t.get("hypothesis") or "", t.get("reason") or "")
                    for t in targets]
        except (ValueError, KeyError, IndexError):
            return [(kernel, way, scope, "crash", "",
                     "exit %d: %s" % (done.returncode, done.stderr[-300:]))
                    for way, scope in some]

    def rows(self):
        jobs = []
        for kernel, some in self.tasks().items():
            for i in range(0, len(some), BATCH):
                jobs.append((kernel, some[i:i + BATCH]))
        with ThreadPoolExecutor(self.args.jobs) as pool:
            for rows in pool.map(self.batch, jobs):
                yield from rows


def table(title, rows, key):
    """Outcomes by the key, one a line."""
    counts = collections.defaultdict(collections.Counter)
    for row in rows:
        counts[key(row)][row[3]] += 1
        counts["all"][row[3]] += 1
    names = sorted(counts["all"])
    print("| %s | n | %s |" % (title, " | ".join(names)))
    print("|---" * (len(names) + 2) + "|")
    for name in [k for k in counts if k != "all"] + ["all"]:
        print("| %s | %d | %s |" % (name, sum(counts[name].values()), " | ".join(
            str(counts[name][o]) for o in names)))
    print()


def has_cause(row):
    if row[3] == "exact":
        return True
    return row[3] == "explained" and re.search(
        CAUSES.get(row[1], "$^"), row[4] + " " + row[5])


def judge(rows, faults, faults_found, variants):
    bad = [r for r in rows if r[1] in faults]
    good = [r for r in rows if r[1] not in faults]
    table("fault in", bad, lambda r: r[2])
    table("kernel, faults", bad, lambda r: r[0])
    table("kernel, variants", good, lambda r: r[0])
    fine = True

    def demand(holds, text):
        nonlocal fine
        fine &= bool(holds)
        print("%s: %s" % ("ok" if holds else "FAILED", text))

    found = sum(r[3] in FOUND for r in bad)
    passed = [r for r in bad if r[3] in ("exact", "explained")]
    called = sum(bool(has_cause(r)) for r in good)
    accused = [r for r in good if r[3] in FOUND]
    broken = [r for r in rows if r[3] in ("crash", "error", "skipped")]
    demand(not broken, "%d of %d without a report" % (len(broken), len(rows)))
    demand(found >= faults_found * len(bad), "%d of %d faults found" % (found, len(bad)))
    demand(not passed, "%d faults passed as exact or explained" % len(passed))
    demand(called >= variants * len(good), "%d of %d variants exact or explained "
           "with their cause" % (called, len(good)))
    demand(not accused, "%d variants taken for faults" % len(accused))
    for row in rows:
        fault = row[1] in faults
        if (row[3] not in FOUND) if fault else not has_cause(row):
            print("  %s %s %s: %s %s: %s" % (*row[:4], row[4], row[5][:320]))
    return fine


def main():
    p = argparse.ArgumentParser()
    p.add_argument("diffcheck")
    p.add_argument("runner")
    p.add_argument("--fast", action="store_true")
    p.add_argument("--every", type=int, default=1)
    p.add_argument("--first", type=int, default=0)
    p.add_argument("--faults", type=float, default=0.99)
    p.add_argument("--variants", type=float, default=0.9)
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--only")
    p.add_argument("--ways")
    p.add_argument("--rows")
    args = p.parse_args()
    args.diffcheck = os.path.abspath(args.diffcheck)
    args.runner = os.path.abspath(args.runner)
    sweep = Sweep(args)
    rows = []
    for row in sweep.rows():
        rows.append(row)
        if args.rows:
            with open(args.rows, "a") as f:
                f.write("\t".join(row) + "\n")
    sys.exit(0 if judge(
        rows, set(sweep.lists["fault"]), args.faults, args.variants) else 1)


main()
