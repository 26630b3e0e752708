#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Deliberate faults in the sources, and which test sees each.

    tests/faults/faults.py [--only NAME]... [--area AREA]... [--most SECONDS]
                           [--again] [-j N]
    tests/faults/faults.py --list | --table | --check | --selftest

A fault is a block of a file tests/faults/AREA.fault, blocks are parted by blank
lines, and lines before the first block are about the file:

    fault NAME
    file PATH
    in FUNCTION             the old text is looked for there alone; optional
    why ONE LINE
    -old line               some whole lines, which stand there exactly once;
    +new line               blanks at either end do not count

The tree is copied to a scratch folder (DIFFCHECK_FAULTS, by default
build/faults), built as `release` is, and its tests are run once as they are.
Then one fault after the other is put in; what a test needs is built, and the
test run, in an order that finds faults fast: tests that have seen faults of the
same folder, related ones, the cheap ones. The first that fails ends it. All
tests that scripts/test.sh runs on the release build count but those of label
style, which see other things.

What was found is kept in the scratch folder (results.tsv), so that a run goes
on where it was stopped; a fault whose text has changed is tried again, and so
is with --again each that survived. Exits 1 if a list is malformed or a fault no
longer fits the sources (--check looks at no more), 3 if fewer than 90 of a
hundred are caught; a fault that does not build counts as an error of the list.
"""
import argparse
import collections
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
AREAS = ("verifier", "interp", "ir", "schedule", "diff")
LEAST = 120         # faults in all, and
LEAST_OF_AREA = 8   # of each area
WANTED = 0.9        # of them are caught
LEFT_OUT = {"style", "tvm", "slow"}

# Tests that look at an area first: parts of their names.
RELATED = {
    "verifier": ("verifier", "obligations", "traps", "enumerate", "certificates",
                 "acceptance", "candidates", "pairs", "isl", "cli.prove",
                 "cli.lint", "refute", "gen-mutants", "gen-verdicts"),
    "interp": ("interp", "fast", "keyed", "replay", "litmus", "oracle", "npy",
               "gen-engines", "threads", "pairs"),
    "ir": ("num.", "_ir_", "read_", "print_", "write_", "json", "tvmjson",
           "tvmscript", "malformed", "bad_input", "cli.show"),
    "schedule": ("schedule", "gen-schedules"),
    "diff": ("diff", "drift", "brief", "reports", "gen_verdict", "cli.",
             "pairs", "emit", "hexagon", "candidates"),
}


class Fault:
    def __init__(self, area, where):
        self.area, self.where = area, where
        self.name = self.file = self.why = self.function = ""
        self.old, self.new = [], []

    def key(self):
        text = "\n".join([self.file, self.function, *self.old, "", *self.new])
        return hashlib.sha256(text.encode()).hexdigest()[:12]


class Problem(Exception):
    pass


# ---- lists ---------------------------------------------------------------------

def parse(path):
    faults, fault = [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        where = f"{path.name}:{number}"
        if not line:
            fault = None
            continue
        if line.startswith("fault "):
            fault = Fault(path.stem, where)
            faults.append(fault)
        if fault is None:
            if faults:
                raise Problem(f"{where}: a block begins with 'fault NAME'")
            continue
        words = {"fault ": "name", "file ": "file", "in ": "function",
                 "why ": "why"}
        word = next((w for w in words if line.startswith(w)), None)
        if word is not None:
            setattr(fault, words[word], line[len(word):].strip())
        elif line[0] in "-+":
            (fault.old if line[0] == "-" else fault.new).append(line[1:])
        else:
            raise Problem(f"{where}: neither a word nor a line of text")
    return faults


def part_of(lines, function):
    """The lines of a function, by its name where it is defined."""
    if not function:
        return 0, len(lines)
    named = re.compile(r"(^|[ *])" + re.escape(function) + r"\(")
    found = []
    for i, line in enumerate(lines):
        if not line[:1].strip() or not named.search(line):
            continue
        opens = next((k for k in range(i, len(lines))
                      if lines[k].rstrip()[-1:] in ("{", ";")), len(lines))
        if opens < len(lines) and lines[opens].rstrip().endswith("{"):
            found.append((i, lines.index("}", opens) + 1))
    if len(found) != 1:
        raise Problem(f"'{function}' is defined {len(found)} times")
    return found[0]


def place(fault, lines):
    """Where the old text stands."""
    start, end = part_of(lines, fault.function)
    old = [line.strip() for line in fault.old]
    have = [line.strip() for line in lines]
    found = [i for i in range(start, end - len(old) + 1)
             if have[i:i + len(old)] == old]
    if len(found) != 1:
        raise Problem(f"the old text stands {len(found)} times in {fault.file}")
    return found[0]


def put(fault, text):
    """The text with the fault."""
    lines = text.split("\n")
    at = place(fault, lines)
    return "\n".join(lines[:at] + fault.new + lines[at + len(fault.old):])


def check(root, folder, least=LEAST, least_of_area=LEAST_OF_AREA):
    """All faults, and what is wrong with the lists."""
    faults, wrong = [], []
    for path in sorted(folder.glob("*.fault")):
        try:
            faults += parse(path)
        except Problem as problem:
            wrong.append(str(problem))
    names = collections.Counter(fault.name for fault in faults)
    for fault in faults:
        try:
            if not fault.name or not fault.file or not fault.why:
                raise Problem("a name, a file and a reason are needed")
            if names[fault.name] > 1:
                raise Problem("another one has this name")
            if fault.area not in AREAS or \
                    fault.file.split("/")[0] != fault.area:
                raise Problem(f"{fault.file} is not of this list's area")
            if not fault.old or [x.strip() for x in fault.old] == \
                    [x.strip() for x in fault.new]:
                raise Problem("it changes nothing")
            if not (root / fault.file).is_file():
                raise Problem(f"{fault.file} is not there")
            put(fault, (root / fault.file).read_text())
        except Problem as problem:
            wrong.append(f"{fault.where}: {fault.name}: {problem}")
    if len(faults) < least:
        wrong.append(f"only {len(faults)} faults, {least} are needed")
    for area in AREAS:
        n = sum(fault.area == area for fault in faults)
        if n < least_of_area:
            wrong.append(f"only {n} faults of {area}")
    return faults, wrong


# ---- a scratch tree --------------------------------------------------------------

def copy_tree(to):
    """Files of the tree; those that are there and the same stay as they are."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT,
        capture_output=True, check=True).stdout.decode().split("\0")
    wanted = {name for name in listed if name and (ROOT / name).is_file()}
    for name in wanted:
        source, target = ROOT / name, to / name
        if not target.is_file() or \
                source.read_bytes() != target.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            shutil.copymode(source, target)
    for path in to.rglob("*"):
        name = str(path.relative_to(to))
        if path.is_file() and name not in wanted and \
                not name.startswith("build/"):
            path.unlink()


class Test:
    def __init__(self, entry, build):
        self.name = entry["name"]
        self.command = entry["command"]
        known = {p["name"]: p["value"] for p in entry.get("properties", [])}
        self.labels = set(known.get("LABELS", []))
        self.folder = known.get("WORKING_DIRECTORY", str(build))
        self.skip = known.get("SKIP_RETURN_CODE")
        self.env = dict(e.split("=", 1) for e in known.get("ENVIRONMENT", []))
        self.limit = float(known.get("TIMEOUT", 1500))
        # programs among its words are what must be built for it
        self.targets = sorted(
            {pathlib.Path(word).name for word in self.command
             if word.startswith(str(build) + "/") and
             (word == self.command[0] or os.access(word, os.X_OK)) and
             not os.path.isdir(word)})
        self.seconds = 0.0


class Tree:
    """One copy of the sources with its build and its tests."""

    def __init__(self, folder, jobs):
        self.top, self.jobs = folder / "tree", jobs
        self.build = self.top / "build" / "release"
        self.top.mkdir(parents=True, exist_ok=True)
        copy_tree(self.top)
        shared = ROOT.parent / "shared"
        link = folder / "shared"
        if shared.is_dir() and not link.exists():
            link.symlink_to(shared.resolve())
        self.log = open(folder / "log", "a", encoding="utf-8", errors="replace")

    def call(self, command, limit=None, cwd=None, env=None):
        """The exit status; None: it took too long."""
        self.log.write(f"$ {' '.join(map(str, command))}\n")
        self.log.flush()
        with subprocess.Popen(command, cwd=cwd or self.top, stdout=self.log,
                              stderr=self.log, stdin=subprocess.DEVNULL,
                              env={**os.environ, **(env or {})},
                              start_new_session=True) as child:
            try:
                return child.wait(limit)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                return None
            except BaseException:
                os.killpg(child.pid, signal.SIGKILL)
                raise

    def make(self, *targets):
        command = ["cmake", "--build", self.build, "--parallel", self.jobs]
        if targets:
            command += ["--target", *targets]
        return self.call([str(word) for word in command]) == 0

    def configure(self):
        more = []
        if shutil.which("ccache"):
            more = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"]
        return self.call(["cmake", "--preset", "release", "-B",
                          str(self.build), "-DBUILD_TESTING=ON",
                          "-DDC_TVM_TESTS=OFF", *more]) == 0 and self.make()

    def tests(self):
        said = subprocess.run(
            ["ctest", "--test-dir", str(self.build), "--show-only=json-v1"],
            capture_output=True, check=True, text=True).stdout
        tests = [Test(entry, self.build) for entry in json.loads(said)["tests"]]
        return [t for t in tests if t.labels and not t.labels & LEFT_OUT]

    def passes(self, test, limit):
        """Whether it passed or was skipped; None: neither by the limit."""
        code = self.call(test.command, limit, test.folder, test.env)
        return None if code is None else code == 0 or code == test.skip


# ---- one fault after the other ----------------------------------------------------

class Campaign:
    def __init__(self, folder, wanted, again):
        self.folder, self.lock = folder, threading.Lock()
        self.path = folder / "results.tsv"
        self.results = {}
        if self.path.is_file():
            for line in self.path.read_text().splitlines():
                name, key, outcome, test, seconds = line.split("\t")
                self.results[name] = (key, outcome, test, float(seconds))
        self.queue = [f for f in wanted if self.is_open(f, again)]
        self.seen = collections.defaultdict(collections.Counter)
        for fault in wanted:
            self.count(fault)

    def is_open(self, fault, again):
        key, outcome = self.results.get(fault.name, ("", ""))[:2]
        return key != fault.key() or (again and outcome == "survived")

    def count(self, fault):
        result = self.results.get(fault.name)
        if result is not None and result[1] == "caught":
            for part in (fault.file, os.path.dirname(fault.file), fault.area):
                self.seen[part][result[2]] += 1

    def note(self, fault, outcome, test, seconds):
        with self.lock:
            self.results[fault.name] = (fault.key(), outcome, test, seconds)
            self.count(fault)
            with open(self.path, "a", encoding="utf-8") as out:
                out.write(f"{fault.name}\t{fault.key()}\t{outcome}\t{test}\t"
                          f"{seconds:.0f}\n")
            print(f"{fault.name}: {outcome} {test} ({seconds:.0f} s)",
                  flush=True)

    def order(self, fault, tests):
        """Cheap tests that saw faults near it, related ones, the others."""
        def rank(test):
            seen = sum(weight * self.seen[part][test.name] for part, weight in
                       ((fault.file, 9), (os.path.dirname(fault.file), 3),
                        (fault.area, 1)))
            related = any(part in test.name for part in RELATED[fault.area])
            cost = test.seconds + 1.0
            return cost / ((1.0 + seen) * (8.0 if related else 1.0))
        return sorted(tests, key=lambda test: (rank(test), test.name))

    def next(self):
        with self.lock:
            return self.queue.pop(0) if self.queue else None


def try_fault(tree, campaign, tests, fault, most):
    start = time.monotonic()
    path = tree.top / fault.file
    text = path.read_text()
    path.write_text(put(fault, text))
    try:
        outcome, seen, slow = "survived", "-", ""
        for test in campaign.order(fault, tests):
            if most is not None and time.monotonic() - start > most:
                print(f"{fault.name}: not caught so far", flush=True)
                return
            if not tree.make(*test.targets):
                outcome = "does not build"
                break
            limit = min(test.limit, 60 + 15 * test.seconds)
            passed = tree.passes(test, limit)
            if not passed:
                outcome, seen = "caught", test.name
                slow = " (too slow)" if passed is None else ""
                break
    finally:
        path.write_text(text)
    campaign.note(fault, outcome, seen + slow, time.monotonic() - start)


def measure(tree, folder):
    """The tests as they are: how long each takes; failing ones are left out."""
    kept = folder / "baseline.json"
    known = json.loads(kept.read_text()) if kept.is_file() else {}
    tests = []
    for test in tree.tests():
        if known.get(test.name) is None:
            start = time.monotonic()
            fine = tree.passes(test, test.limit)
            known[test.name] = time.monotonic() - start if fine else None
            kept.write_text(json.dumps(known, indent=1))
        if known[test.name] is None:
            print(f"left out, fails as it is: {test.name}", flush=True)
            continue
        test.seconds = known[test.name]
        tests.append(test)
    return tests


def work(number, campaign, folder, jobs, most, failures):
    try:
        own = folder / str(number)
        own.mkdir(parents=True, exist_ok=True)
        tree = Tree(own, jobs)
        if not tree.configure():
            raise Problem(f"the tree does not build: see {own / 'log'}")
        tests = measure(tree, own)
        while (fault := campaign.next()) is not None:
            try_fault(tree, campaign, tests, fault, most)
    except Problem as problem:
        failures.append(str(problem))


# ---- what came of it --------------------------------------------------------------

def table(faults, results):
    rows = collections.defaultdict(collections.Counter)
    for fault in faults:
        key, outcome, test, _ = results.get(fault.name, ("", "", "-", 0))
        rows[fault.area][outcome if key == fault.key() else "not tried"] += 1
    total = sum(rows.values(), collections.Counter())
    print("| area | faults | caught | survived | other |")
    print("|---|---|---|---|---|")
    for area in [*(a for a in AREAS if a in rows), None]:
        row = rows[area] if area else total
        n = sum(row.values())
        other = n - row["caught"] - row["survived"]
        print(f"| {area or 'all'} | {n} | {row['caught']} | "
              f"{row['survived']} | {other} |")
    for fault in faults:
        key, outcome = results.get(fault.name, ("", ""))[:2]
        if key == fault.key() and outcome != "caught":
            print(f"{outcome}: {fault.name} ({fault.file}): {fault.why}")
    done = total["caught"] + total["survived"]
    return done == 0 or total["caught"] >= WANTED * done


# ---- the check's own test -----------------------------------------------------------

GOOD = """about the list

fault one
file ir/a.c
in second
why the sum is lost
-return 1;
+return 2;
"""
SOURCE = """int first(void)
{
    return 1;
}

int second(void)
{
    return 1;
}
"""
BAD = {
    "the old text is gone": ("-return 1;", "-return 3;"),
    "it stands twice": ("in second\n", ""),
    "nothing changes": ("+return 2;", "+ return 1;"),
    "no reason is given": ("why the sum is lost\n", ""),
    "the function is gone": ("in second", "in third"),
    "the file is gone": ("ir/a.c", "ir/b.c"),
    "it is of another area": ("ir/a.c", "diff/a.c"),
    "a line is no line": ("+return 2;", "return 2;"),
    "a name is given twice": (GOOD, GOOD + "\n" + GOOD[GOOD.index("fault"):]),
}


def selftest():
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for area in ("ir", "diff"):
            (root / area).mkdir()
        (root / "ir" / "a.c").write_text(SOURCE)
        faults = root / "ir.fault"
        faults.write_text(GOOD)
        found, wrong = check(root, root, 0, 0)
        if wrong or put(found[0], SOURCE) != SOURCE[:-16] + "return 2;\n}\n":
            print(f"a good list is refused or put in wrongly: {wrong}")
            bad += 1
        for what, (old, new) in BAD.items():
            faults.write_text(GOOD.replace(old, new))
            if not check(root, root, 0, 0)[1]:
                print(f"not seen: {what}")
                bad += 1
        faults.write_text(GOOD)
        if len(check(root, root, 2, 1)[1]) != 1 + len(AREAS) - 1:
            print("not seen: too few faults")
            bad += 1
    return bad


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--list", action="store_true")
    options.add_argument("--table", action="store_true")
    options.add_argument("--check", action="store_true")
    options.add_argument("--selftest", action="store_true")
    options.add_argument("--again", action="store_true")
    options.add_argument("--only", action="append", metavar="NAME")
    options.add_argument("--area", action="append", choices=AREAS)
    options.add_argument("--most", type=float, metavar="SECONDS",
                         help="leave a fault open that is not caught by then")
    options.add_argument("-j", type=int, default=1, metavar="N",
                         help="faults at a time, each in a tree of its own")
    given = options.parse_args()
    if given.selftest:
        return 1 if selftest() else 0
    faults, wrong = check(ROOT, HERE)
    for problem in wrong:
        print(problem)
    if given.check or wrong:
        print(f"faults: {len(faults)} in the lists, {len(wrong)} problems")
        return 1 if wrong else 0
    wanted = [f for f in faults if
              (not given.only or f.name in given.only) and
              (not given.area or f.area in given.area)]
    if given.list:
        for fault in wanted:
            print(f"{fault.name}\t{fault.file}\t{fault.why}")
        return 0
    folder = pathlib.Path(os.environ.get("DIFFCHECK_FAULTS",
                                         ROOT / "build" / "faults"))
    folder.mkdir(parents=True, exist_ok=True)
    campaign = Campaign(folder, wanted, given.again)
    failures = []
    if not given.table:
        jobs = max(1, (os.cpu_count() or 1) // max(1, given.j))
        threads = [threading.Thread(target=work, args=(
            i + 1, campaign, folder, jobs, given.most, failures)) for i in range(given.j)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for failure in failures:
        print(f"error: {failure}")
    enough = table(wanted, campaign.results)
    return 1 if failures else 0 if enough else 3


if __name__ == "__main__":
    sys.exit(main())
