#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Deliberate faults in the sources, and which test sees each.

    tests/faults/faults.py [--only NAME]... [--area AREA]... [--most SECONDS]
                           [--longest SECONDS] [--again] [-j N]
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
build/faults) and built as `release` is, but with shared libraries: a fault then
costs one file compiled and one library linked, in a folder that the tests look
into first. Tests are run in an order that finds faults fast: those that have
seen faults of the same folder, related ones, the cheap ones. The first that
fails, and passes without the fault, ends it. All tests that scripts/test.sh
runs on the release build count but those of label style, which see other things.

What was found is kept in the scratch folder (results.tsv), so that a run goes
on where it was stopped; a fault whose text has changed is tried again, and so
is with --again each that survived. Exits 1 if a list is malformed or a fault no
longer fits the sources (--check looks at no more), 3 if fewer than 90 of a
hundred are caught; a fault that does not build counts as an error of the list.
"""
import argparse
import collections
import hashlib
import itertools
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
AREAS = ("verifier", "interp", "ir", "schedule", "diff", "reports")
LEAST = 120         # faults in all, and
LEAST_OF_AREA = 8   # of each area
WANTED = 0.9        # of them are caught
LEFT_OUT = {"style", "tvm", "slow", "report"}

# Tests that look at an area first: parts of their names.
RELATED = {
    "verifier": ("verifier", "obligations", "litmus", "traps", "enumerate", "certificates",
                 "acceptance", "candidates", "pairs", "isl", "cli.prove",
                 "cli.lint", "refute", "gen-mutants", "gen-verdicts"),
    "interp": ("interp", "fast", "keyed", "replay", "litmus", "oracle", "npy",
               "gen-engines", "threads", "pairs"),
    "ir": ("num.", "_ir_", "reread", "read_", "print_", "write_", "json", "tvmjson",
           "tvmscript", "malformed", "bad_input", "cli.show"),
    "schedule": ("schedule", "gen-schedules"),
    "diff": ("diff", "drift", "brief", "reports", "gen_verdict", "cli.",
             "pairs", "emit", "hexagon", "candidates"),
    "reports": ("report", "sarif", "schema", "cli.batch", "cli.gate", "cli.bad_input"),
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

LIBRARY = re.compile(rb"(add_library\([a-z_]+) STATIC")


def copied(source):
    """A file as the copy has it: libraries are shared ones there."""
    data = source.read_bytes()
    if source.name == "CMakeLists.txt":
        data = LIBRARY.sub(rb"\1 SHARED", data)
    return data


def copy_tree(to):
    """Files of the tree; those that are there and the same stay as they are."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT,
        capture_output=True, check=True).stdout.decode().split("\0")
    wanted = {name for name in listed if name and (ROOT / name).is_file()}
    for name in wanted:
        source, target = ROOT / name, to / name
        data = copied(source)
        if not target.is_file() or data != target.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
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
        self.seconds = 0.0


class Tree:
    """A copy of the sources with its build and its tests."""

    def __init__(self, folder):
        self.folder, self.top = folder, folder / "tree"
        self.build = self.top / "build" / "release"
        self.top.mkdir(parents=True, exist_ok=True)
        copy_tree(self.top)
        shared = ROOT.parent / "shared"
        link = folder / "shared"
        if shared.is_dir() and not link.exists():
            link.symlink_to(shared.resolve())

    def configure(self, log):
        more = []
        if shutil.which("ccache"):
            more = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"]
        done = call(["cmake", "--preset", "release", "-B", self.build,
                     "-DBUILD_TESTING=ON", "-DDC_TVM_TESTS=OFF",
                     "-DCMAKE_SHARED_LINKER_FLAGS=-Wl,--enable-new-dtags",
                     "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--enable-new-dtags",
                     "-DCMAKE_C_FLAGS=-fno-semantic-interposition",
                     "-DCMAKE_C_STANDARD_LIBRARIES=-lm", *more],
                    log, cwd=self.top) == 0 and \
            call(["cmake", "--build", self.build], log, cwd=self.top) == 0
        if not done:
            raise Problem(f"the tree does not build: see {log.name}")
        self.steps = subprocess.run(
            ["ninja", "-C", str(self.build), "-t", "commands", "all"],
            capture_output=True, check=True, text=True).stdout.splitlines()

    def tests(self):
        said = subprocess.run(
            ["ctest", "--test-dir", str(self.build), "--show-only=json-v1"],
            capture_output=True, check=True, text=True).stdout
        tests = [Test(entry, self.build) for entry in json.loads(said)["tests"]]
        return [t for t in tests if t.labels and not t.labels & LEFT_OUT]

    def make(self, fault, to, log):
        """Libraries with the fault, in a folder of their own."""
        shutil.rmtree(to, ignore_errors=True)
        source = to / fault.file
        source.parent.mkdir(parents=True)
        source.write_text(put(fault, (self.top / fault.file).read_text()))
        beside = (self.top / fault.file).parent
        made = 0
        for step in self.steps:
            found = re.search(r" -o (\S+) -c (\S+)$", step)
            if found is None or \
                    (self.build / found[2]).resolve() != self.top / fault.file:
                continue
            obj, out = found[1], to / f"{made}.o"
            link = next((x for x in self.steps if " -shared " in x and
                         f" {obj} " in x), None)
            if link is None:
                continue
            step = step[:found.start()].replace(f" -MF {obj}.d",
                                                f" -MF {out}.d")
            library = re.search(r" -o (\S+) ", link)[1]
            link = link.replace(f" -o {library} ",
                                f" -o {to / pathlib.Path(library).name} ")
            if call(["sh", "-c", f"{step} -iquote {beside} -o {out} "
                     f"-c {source}"], log, cwd=self.build) != 0 or \
                    call(["sh", "-c", link.replace(f" {obj} ", f" {out} ")],
                         log, cwd=self.build) != 0:
                return False
            made += 1
        return made > 0

    def passes(self, test, limit, log, libraries=None):
        """Whether it passed or was skipped; None: neither by the limit."""
        env = dict(test.env)
        if libraries is not None:
            env["LD_LIBRARY_PATH"] = str(libraries)
        code = call(test.command, log, limit, test.folder, env)
        return None if code is None else code == 0 or code == test.skip


def call(command, log, limit=None, cwd=None, env=None):
    """The exit status; None: it took too long."""
    command = [str(word) for word in command]
    log.write(f"$ {' '.join(command)}\n")
    log.flush()
    with subprocess.Popen(command, cwd=cwd, stdout=log, stderr=log,
                          stdin=subprocess.DEVNULL,
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


# ---- one fault after the other ----------------------------------------------------

class Campaign:
    def __init__(self, folder, wanted, again, count):
        self.folder, self.lock = folder, threading.Lock()
        self.path = folder / "results.tsv"
        self.results = {}
        if self.path.is_file():
            for line in self.path.read_text().splitlines():
                name, key, outcome, test, seconds = line.split("\t")
                self.results[name] = (key, outcome, test, float(seconds))
        self.queue = mixed([f for f in wanted if self.is_open(f, again)])
        self.queue = self.queue[:count]
        self.seen = collections.defaultdict(collections.Counter)
        self.unfit = set()
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
            seen = sum(nearness * self.seen[part][test.name]
                       for part, nearness in
                       ((fault.file, 9), (os.path.dirname(fault.file), 3),
                        (fault.area, 1)))
            weight = 8.0 if self.is_near(fault, test) else 1.0
            if self.is_named(fault, test):
                weight *= 20.0
            return (test.seconds + 0.2) / ((1.0 + seen) * weight)
        return sorted(tests, key=lambda test: (rank(test), test.name))

    @staticmethod
    def is_named(fault, test):
        return any(len(word) > 4 and word not in AREAS and word in test.name
                   for word in re.split(r"[/_.]", fault.file))

    def is_near(self, fault, test):
        return self.seen[fault.area][test.name] > 0 or \
            any(part in test.name for part in RELATED[fault.area])

    def next(self):
        with self.lock:
            return self.queue.pop(0) if self.queue else None


def mixed(faults):
    """Areas in turn, files of each mixed: what is stopped has tried of all."""
    rows = collections.defaultdict(list)
    for fault in sorted(faults, key=lambda f: hashlib.sha256(
            f.name.encode()).digest()):
        rows[fault.area].append(fault)
    return [fault for rank in itertools.zip_longest(*rows.values())
            for fault in rank if fault is not None]


def try_fault(tree, campaign, tests, fault, given, own, log):
    start = time.monotonic()
    libraries = own / "fault"
    if not tree.make(fault, libraries, log):
        campaign.note(fault, "does not build", "-", time.monotonic() - start)
        return
    for test in campaign.order(fault, tests):
        if given.test and test.name not in given.test:
            continue
        if given.longest is not None and \
                not campaign.is_named(fault, test) and \
                (test.seconds > given.longest or
                 not campaign.is_near(fault, test)):
            continue
        if given.most is not None and time.monotonic() - start > given.most:
            break
        if test.name in campaign.unfit:
            continue
        limit = min(test.limit, 120 + 15 * test.seconds)
        passed = tree.passes(test, limit, log, libraries)
        if passed:
            continue
        # One that fails without the fault, too, tells nothing.
        if not tree.passes(test, test.limit, log):
            print(f"left out, fails as it is: {test.name}", flush=True)
            campaign.unfit.add(test.name)
            continue
        slow = " (too slow)" if passed is None else ""
        campaign.note(fault, "caught", test.name + slow,
                      time.monotonic() - start)
        return
    else:
        if given.longest is None and not given.test:
            campaign.note(fault, "survived", "-", time.monotonic() - start)
            return
    print(f"{fault.name}: not caught so far "
          f"({time.monotonic() - start:.0f} s)", flush=True)


def measure(tree, folder, log):
    """How long each test takes; those that fail as they are are left out."""
    kept = folder / "baseline.json"
    known = json.loads(kept.read_text()) if kept.is_file() else {}
    tests = []
    for test in tree.tests():
        if test.name not in known:
            start = time.monotonic()
            fine = tree.passes(test, test.limit, log)
            known[test.name] = time.monotonic() - start if fine else None
            kept.write_text(json.dumps(known, indent=1))
        if known[test.name] is None:
            print(f"left out, fails as it is: {test.name}", flush=True)
            continue
        test.seconds = known[test.name]
        tests.append(test)
    return tests


def work(number, tree, campaign, tests, given, failures):
    own = campaign.folder / str(number)
    own.mkdir(parents=True, exist_ok=True)
    try:
        with open(own / "log", "w", encoding="utf-8", errors="replace") as log:
            while (fault := campaign.next()) is not None:
                try_fault(tree, campaign, tests, fault, given, own, log)
    except (Problem, OSError) as problem:
        failures.append(str(problem))


def run(campaign, given):
    """Tries what is open; what kept it from that."""
    failures = []
    tree = Tree(campaign.folder)
    with open(campaign.folder / "log", "w", encoding="utf-8",
              errors="replace") as log:
        tree.configure(log)
        tests = measure(tree, campaign.folder, log)
    threads = [threading.Thread(target=work, args=(
        i + 1, tree, campaign, tests, given, failures)) for i in range(given.j)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


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
    options.add_argument("--test", action="append", metavar="NAME",
                         help="only this one")
    options.add_argument("--area", action="append", choices=AREAS)
    options.add_argument("--most", type=float, metavar="SECONDS",
                         help="leave a fault open that is not caught by then")
    options.add_argument("--longest", type=float, metavar="SECONDS",
                         help="only near tests that take no longer")
    options.add_argument("--count", type=int, metavar="N",
                         help="the first so many that are open, areas in turn")
    options.add_argument("-j", type=int, default=1, metavar="N",
                         help="faults at a time")
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
    campaign = Campaign(folder, wanted, given.again, given.count)
    failures = []
    if not given.table:
        try:
            failures = run(campaign, given)
        except Problem as problem:
            failures = [str(problem)]
    for failure in failures:
        print(f"error: {failure}")
    enough = table(wanted, campaign.results)
    return 1 if failures else 0 if enough else 3


if __name__ == "__main__":
    sys.exit(main())
