#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No false alarms: soak.py [OPTION...] DIFFCHECK SHARED

Runs every pair labelled `identical` or `order-only`, of corpora/pairs,
corpora/traps and SHARED/data/tvm, on the targets, under one seed after the
other, small modules first. The compilers are taken to be right, so that a
target that is `wrong`, `nondeterministic`, `deviates`, `unexplained` or `error` is a defect of
this project: of what a target declares, of the replay, of the emitter or of
the judging. Prints a table and each alarm with its command; exits 1 if there
is one. With --rows FILE, one JSON object a run is added to FILE, and runs that
stand in it already are not made again: a soak can go on where it was stopped.
--known FILE names faults that compilers do have: lines of pair (the end of its
path, * and ? for any text), target, outcome and a part of the reason, separated
by tabs, as in tests/tvm/targets_expected.tsv; they are counted apart.
"""
import argparse
import collections
import fnmatch
import json
import pathlib
import subprocess
import sys
import tempfile
import time

LEGAL = ("identical", "order-only")
GOOD = ("exact", "explained", "within-bound", "skipped")
ALARMS = ("wrong", "nondeterministic", "deviates", "unexplained", "error")


def corpora_pairs():
    for expect in sorted(pathlib.Path("corpora").glob("*/*/expect")):
        lines = expect.read_text().splitlines()
        words = lines[0].split() if lines else []
        folder = expect.parent
        if folder.parent.name not in ("pairs", "traps") or not words:
            continue
        if words[0] in LEGAL:
            options = [word for line in lines[2:] if line.startswith("--")
                       for word in line.split()]
            yield folder, folder / "tuned.py", folder / "untuned.py", options


def data_pairs(shared):
    for path in sorted((shared / "data" / "tvm").rglob("case.json")):
        meta = json.loads(path.read_text())
        folder = path.parent
        tuned, untuned = folder / "tuned.json", folder / "untuned.json"
        if meta.get("expect") in LEGAL and tuned.exists() and untuned.exists():
            yield folder, tuned, untuned, []


def find_pairs(shared, only):
    pairs = list(corpora_pairs()) + list(data_pairs(shared))
    pairs = [p for p in pairs if only in str(p[0])]
    return sorted(pairs, key=lambda p: (p[1].stat().st_size
                                        + p[2].stat().st_size, str(p[0])))


def run_one(args, cache, pair, seed):
    folder, tuned, untuned, options = pair
    command = [args.binary, str(tuned), str(untuned), "--targets",
               args.targets, "--cache", cache, "--cache-size", "8192",
               "--seed", str(seed),
               "--format", "json", "-j", str(args.jobs)] + options
    row = {"pair": str(folder), "seed": seed, "targets": args.targets,
           "command": " ".join(command)}
    started = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True,
                              timeout=args.timeout)
        answer = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return {**row, "failed": f"no answer in {args.timeout} s"}
    except ValueError:
        return {**row, "failed": f"exit {done.returncode}, no report: "
                                 f"{done.stderr[-200:]!r}"}
    row["s"] = round(time.monotonic() - started, 2)
    if "error" in answer:
        return {**row, "failed": str(answer["error"])}
    row["verdict"] = answer["verdict"]
    row["results"] = [
        {"function": p["function"], "target": t["target"],
         "outcome": t["outcome"],
         "why": t.get("hypothesis") or t.get("reason") or ""}
        for p in answer["pairs"] for t in p.get("targets", [])]
    return row


def old_rows(path):
    """By pair, seed and targets; of rows of one run the last counts."""
    rows = {}
    if path is not None and path.exists():
        for line in path.read_text().splitlines():
            row = json.loads(line)
            rows[row["pair"], row["seed"], row["targets"]] = row
    return rows


KNOWN = []  # of --known


def read_known(path):
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if not line.startswith("#") and len(cells) >= 4:
            KNOWN.append(cells[:4])


def is_known(pair, result):
    return any(fnmatch.fnmatch(pair, "*/" + k[0]) and k[1] == result["target"]
               and k[2] == result["outcome"] and k[3] in result["why"]
               for k in KNOWN)


def alarms_of(row):
    alarms = [f"{r['target']} {r['outcome']}: {r['why']}"
              for r in row.get("results", []) if r["outcome"] not in GOOD
              and not is_known(row["pair"], r)]
    return alarms + ([row["failed"]] if "failed" in row else [])


def put_table(rows):
    table = collections.defaultdict(collections.Counter)
    for row in rows:
        for r in row.get("results", []):
            what = "known" if is_known(row["pair"], r) else r["outcome"]
            table[r["target"]][what] += 1
            table["all"][what] += 1
    heads = GOOD + ("known",) + ALARMS
    print(f"{'target':<18}" + "".join(f"{h:>13}" for h in heads))
    for name in sorted(table, key=lambda n: (n == "all", n)):
        print(f"{name:<18}"
              + "".join(f"{table[name][h]:>13}" for h in heads))


def put_alarms(rows):
    bad = 0
    for row in rows:
        for text in alarms_of(row):
            print(f"ALARM: {row['pair']} seed {row['seed']}: {text}\n"
                  f"    {row['command']}")
            bad += 1
    return bad


class Plan:
    """What is still to be run."""

    def __init__(self, args):
        self.args = args
        self.rows = old_rows(args.rows)
        self.slow = {r["pair"] for r in self.rows.values()
                     if args.once_over and r.get("s", 0) > args.once_over}

    def wants(self, i, pair, seed):
        name = str(pair[0])
        old = self.rows.get((name, seed, self.args.targets))
        if old:
            return self.args.again and alarms_of(old)
        return (i + seed) % self.args.every == 0 and name not in self.slow

    def add(self, row):
        self.rows[row["pair"], row["seed"], row["targets"]] = row
        if self.args.once_over and row.get("s", 0) > self.args.once_over:
            self.slow.add(row["pair"])
        if self.args.rows:
            with self.args.rows.open("a") as f:
                f.write(json.dumps(row) + "\n")


def main():
    ap = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    ap.add_argument("binary")
    ap.add_argument("shared", type=pathlib.Path)
    ap.add_argument("--targets", default="host")
    ap.add_argument("--seeds", default="1-20", help="FIRST-LAST")
    ap.add_argument("--only", default="", help="pairs whose path has this")
    ap.add_argument("--max-bytes", type=int, default=None,
                    help="leave out pairs of larger files")
    ap.add_argument("--every", type=int, default=1,
                    help="each pair of so many, the first of them by seed")
    ap.add_argument("--once-over", type=float, default=None,
                    help="pairs that took more seconds get no other seed")
    ap.add_argument("--again", action="store_true",
                    help="repeat runs of --rows that gave an alarm")
    ap.add_argument("--limit-s", type=float, default=None,
                    help="start no run after so many seconds")
    ap.add_argument("--timeout", type=float, default=1200)
    ap.add_argument("--jobs", type=int, default=1)
    ap.add_argument("--cache", help="kept; by default one of its own")
    ap.add_argument("--rows", type=pathlib.Path, help="file of results")
    ap.add_argument("--known", type=pathlib.Path, action="append", default=[],
                    help="file of faults that compilers have; repeatable")
    args = ap.parse_args()
    for path in args.known:
        read_known(path)
    if not (args.shared / "data" / "tvm").is_dir():
        print(f"note: {args.shared}/data/tvm is not there, its pairs are not run")
    first, last = (int(x) for x in args.seeds.split("-"))
    pairs = find_pairs(args.shared, args.only)
    if args.max_bytes:
        pairs = [p for p in pairs if p[1].stat().st_size
                 + p[2].stat().st_size <= args.max_bytes]
    plan, left = Plan(args), 0
    deadline = time.monotonic() + args.limit_s if args.limit_s else None
    with tempfile.TemporaryDirectory() as own:
        for seed in range(first, last + 1):
            for i, pair in enumerate(pairs):
                if not plan.wants(i, pair, seed):
                    continue
                if deadline and time.monotonic() > deadline:
                    left += 1
                    continue
                plan.add(run_one(args, args.cache or own, pair, seed))
    rows = list(plan.rows.values())
    put_table(rows)
    bad = put_alarms(rows)
    n = sum(len(r.get("results", [])) for r in rows)
    print(f"{len(rows)} runs of {len(pairs)} pairs, {n} outcomes, "
          f"{bad} alarms" + (f"; {left} runs not started" if left else ""))
    ran = [r for row in rows for r in row.get("results", [])
           if r["outcome"] != "skipped"]
    if rows and not ran and not bad:
        print("skipped: no target can be used here")
        return 77
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
