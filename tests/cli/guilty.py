# SPDX-License-Identifier: Apache-2.0
"""Whether findings name the statement that is to blame.

    guilty.py DIFFCHECK TABLE ROOT

For each row of TABLE (tests/cli/data/guilty.tsv) the pair in ROOT is compared. Of the
first screen must be true: where values differ, it says how many of how many elements;
its command gives the same verdict, exit status and statement again. The first
statement of the tuned module that is named must stand on a line that the table has.
Of what is read before it was written the reader and the writer are named, and no run
tells which of them is wrong: either will do.

Prints what is amiss and the counts. Exit status 1: a statement is wrong in more than 3
of 60 rows, or anything else in any.
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

PLACE = re.compile(r"^  (?:read +|write +)?((?:show )?tuned\.(?:py|json)):(\d+) ", re.M)
HEAD = re.compile(r"^([A-Z-]+)  .*exit(?: status)? (\d)", re.M)
AMOUNT = re.compile(r"^(?:All )?[0-9]+ of [0-9]+ elements of .* differs?\b|undefined\b", re.M)


def lines_of(text):
    """The lines of "3,5-7", and whether they are those of `show`."""
    shown = text.startswith("show:")
    lines = set()
    for part in text.removeprefix("show:").split(","):
        first, _, last = part.partition("-")
        lines.update(range(int(first), int(last or first) + 1))
    return shown, lines


def run(args, folder):
    done = subprocess.run(
        args, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    return done.returncode, done.stdout, done.stderr


def finding(report):
    """The pair of functions that is found fault with."""
    pairs = [p for p in report["pairs"] if p["finding"]]
    return pairs[0] if pairs else None


def judge(diffcheck, row, root):
    """What is wrong with the statement, and what else is."""
    pair, lines, _, *options = row
    folder = os.path.join(root, pair)
    words = options[0].split() if options else []
    status, screen, err = run([diffcheck, "tuned.json", "untuned.json", *words], folder)
    head = HEAD.search(screen)
    command = re.search(r"^Reproduce +((?:.*\\\n)*.*)", screen, re.M)
    if head is None or command is None or status != 1:
        return None, f"no finding: exit {status}: {err or screen}"
    again = shlex.split(command[1].replace("\\\n", " "))
    code, out, err = run([diffcheck, *again[1:], "--format", "json"], folder)
    if code != status:
        return None, f"{command[1]}: exit {code}, not {status}: {err}"
    found = finding(json.loads(out))
    if found["verdict"].upper() != head[1] or int(head[2]) != status:
        return None, f"{command[1]}: {found['verdict']}, not {head[0]}"
    kind = (found["witness"] or {}).get("kind")
    if kind in ("value", "enclosure", "uninitialised"):
        extent = found["witness"]["extent"]
        if not 0 < extent["differing"] <= extent["compared"]:
            return None, f"extent {extent}"
        if AMOUNT.search(screen) is None:
            return None, "does not say how much differs"
    origin = found.get("origin") or {"places": []}
    named = [p for p in origin["places"] if p["side"] == "tuned"]
    first = PLACE.search(screen)
    if (first and int(first[2])) != (named[0]["line"] if named else None):
        return None, f"{command[1]}: names {named}, not {first and first[0]}"
    shown, wanted = lines_of(lines)
    right = named if kind == "uninitialised" else named[:1]
    if any(p["line"] in wanted and ("file" not in p) == shown for p in right):
        return None, None
    lines_named = " ".join(str(p["line"]) for p in named) or "nothing"
    return f"names {lines_named}, not {lines} ({row[2]})", None


def main():
    diffcheck, table, root = sys.argv[1:]
    with open(table, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line[0] != "#"]
    jobs = min(4, os.cpu_count() or 1)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        answers = list(pool.map(lambda row: judge(diffcheck, row, root), rows))
    wrong = other = 0
    for row, (statement, rest) in zip(rows, answers):
        if statement:
            wrong += 1
            print(f"{row[0]}: {statement}")
        if rest:
            other += 1
            print(f"{row[0]}: {rest}")
    print(f"{len(rows)} pairs: {wrong} wrong statements, {other} other faults")
    return 1 if 60 * wrong > 3 * len(rows) or other else 0


if __name__ == "__main__":
    sys.exit(main())
