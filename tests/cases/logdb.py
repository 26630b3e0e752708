#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the workloads of real tuning databases: logdb.py DIFFCHECK SHARED

SHARED/data/logdb/metaschedule holds databases of TVM 0.12 to 0.14 users: each
line of database_workload.json is a module of era A in base64 behind its length.
Every one must run: to its end, or until the step budget is used up, with no
fault and nothing unsupported. Exits 77 with a line "skipped: ..." when the data
are not there.
"""
import base64
import json
import pathlib
import subprocess
import sys
import tempfile

BUDGET = 3000000
WORKLOADS = 60  # in the databases; PROVENANCE.md there lists them
COMPLETE = 25   # of these are small enough for the budget


def modules(root):
    for path in sorted(root.glob("*/database_workload.json")):
        for number, line in enumerate(path.read_text().splitlines()):
            text = base64.b64decode(json.loads(line)[1])
            length = int.from_bytes(text[:8], "little")
            if length != len(text) - 8:
                raise ValueError(f"{path}:{number + 1}: wrong length")
            yield f"{path.parent.name}-{number}", text[8:]


def run(binary, file):
    done = subprocess.run([binary, "run", str(file), "--budget", str(BUDGET)],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return "complete", ""
    if done.returncode == 4 and done.stdout.startswith("budget:"):
        return "budget", ""
    return "failed", f"exit {done.returncode}: {done.stdout}{done.stderr}"


def main():
    binary = sys.argv[1]
    root = pathlib.Path(sys.argv[2]) / "data" / "logdb" / "metaschedule"
    if not root.is_dir():
        print(f"skipped: {root} is not there")
        return 77
    counts = {"complete": 0, "budget": 0, "failed": 0}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in modules(root):
            file = pathlib.Path(folder) / f"{name}.json"
            file.write_bytes(text)
            outcome, why = run(binary, file)
            counts[outcome] += 1
            if outcome == "failed":
                print(f"FAILED: {name}: {why}")
    print("workloads: " + ", ".join(f"{n} {k}" for k, n in counts.items()))
    enough = counts["complete"] >= COMPLETE
    if not enough:
        print(f"FAILED: fewer than {COMPLETE} workloads run to their end")
    if sum(counts.values()) != WORKLOADS:
        print(f"FAILED: expected {WORKLOADS} workloads")
        enough = False
    return 0 if enough and not counts["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
