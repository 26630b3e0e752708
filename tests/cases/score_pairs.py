#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Score the verdicts on labelled pairs: score_pairs.py DIFFCHECK SHARED

Runs SHARED/tools/score.py over SHARED/data/tvm and SHARED/data/live-bugs and
fails on what must never be: a verdict that the label contradicts, a real fault
called equal, a crash or a wrong exit status. A `precision` pair may be called
`agrees` until the engine that can tell exists. Prints the table; exits 77 with
a line "skipped: ..." when the data are not there. DIFFCHECK_SCORE_SECONDS
limits the time; the cases are then spread over all families.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    binary, shared = sys.argv[1], pathlib.Path(sys.argv[2])
    score = shared / "tools" / "score.py"
    roots = [shared / "data" / "tvm", shared / "data" / "live-bugs"]
    if not score.is_file() or not all(root.is_dir() for root in roots):
        print(f"skipped: {score} and its data not there")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        rows_file = pathlib.Path(folder) / "rows.json"
        command = [sys.executable, str(score), "--bin", binary,
                   "--json", str(rows_file), "--timeout", "1800"]
        seconds = os.environ.get("DIFFCHECK_SCORE_SECONDS")
        if seconds:
            command += ["--limit-s", seconds]
        subprocess.run(command + [str(root) for root in roots], check=False)
        rows = json.loads(rows_file.read_text())
    bad = [row for row in rows
           if row["grade"] in ("wrong", "failed")
           or (row["grade"] == "missed" and row["expect"] != "precision")]
    for row in bad:
        print(f"NOT ALLOWED: {row['grade']} {row['case']}: expected "
              f"{row['expect']}, got {row['verdict']}: {row.get('why', '')}")
    print(f"{len(rows)} pairs scored, {len(bad)} not allowed")
    return 1 if bad or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
