#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The layout in figures, from object code (docs/architecture.md).

usage: architecture.py [--arrows FOLDER] [--circles] [--duplicates] [BUILD]

BUILD is a finished build (build/release). A file calls another where its
object needs a symbol that the other's defines: functions and data, macros and
types not. Printed, for each folder of the product:

  files     .c and .h
  lines     of them
  floors    files on the longest chain of calls inside the folder, a circle
            counting as one
  circles   files that call each other in circles, inside the folder
  largest   of these circles
  exports   functions and data that other files can see (of which
            tests/style/exports.sh wants a user each)

and, for the whole: circles over all folders, arrows between folders, and runs
of six equal lines (see duplicates()).
"""
import argparse
import collections
import os
import re
import subprocess
import sys

PRODUCT = ("ir", "interp", "verifier", "diff", "schedule", "reports")
OTHERS = ("fuzz", "tests", "bench")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def objects(build):
    """source -> object, the first one where several targets compile it."""
    found = {}
    for folder, _, names in os.walk(build):
        at = re.search(r"CMakeFiles/[^/]+\.dir(/|$)", folder)
        if not at:
            continue
        base = os.path.relpath(folder[: at.start()], build)
        inside = folder[at.end():]
        for name in sorted(names):
            if not name.endswith(".c.o"):
                continue
            source = os.path.normpath(os.path.join(base, inside, name[:-2]))
            if os.path.exists(os.path.join(ROOT, source)):
                found.setdefault(source, os.path.join(folder, name))
    return found


def symbols(path):
    """Defined and needed names of an object."""
    defined, needed = set(), set()
    text = subprocess.run(["nm", path], capture_output=True, text=True,
                          check=True).stdout
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 2 and words[-2] == "U":
            needed.add(words[-1])
        elif len(words) == 3 and words[1] in "TDBRVWGS":
            defined.add(words[2])
    return defined, needed


def components(nodes, edges):
    """Strongly connected components (Tarjan), callees first."""
    index, low, on, stack, out = {}, {}, set(), [], []

    for start in nodes:
        if start in index:
            continue
        work = [(start, iter(sorted(edges[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on.add(start)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on.add(other)
                    work.append((other, iter(sorted(edges[other]))))
                    break
                if other in on:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    one = []
                    while True:
                        other = stack.pop()
                        on.discard(other)
                        one.append(other)
                        if other == node:
                            break
                    out.append(sorted(one))
    return out


def inside(files, calls):
    """Floors and circles of a set of files, by calls among them alone."""
    chosen = set(files)
    edges = {f: {g for g in calls[f] if g in chosen and g != f} for f in files}
    parts = components(sorted(files), edges)
    of = {f: i for i, part in enumerate(parts) for f in part}
    height = []
    for i, part in enumerate(parts):
        below = {of[g] for f in part for g in edges[f]} - {i}
        height.append(1 + max((height[b] for b in below), default=0))
    return max(height, default=0), [p for p in parts if len(p) > 1]


def duplicates(files):
    """Runs of at least six lines that occur twice, as (lines, places): blank
    lines, comments and lines of tables (a row in braces, a case that only
    returns) do not count."""
    lines = {}
    for path in files:
        kept = []
        in_comment = False
        with open(os.path.join(ROOT, path)) as source:
            for number, line in enumerate(source, 1):
                text = line.strip()
                if in_comment:
                    in_comment = "*/" not in text
                    continue
                if text.startswith("/*"):
                    in_comment = "*/" not in text
                    continue
                if (not text or text.startswith(("//", "#include", "{"))
                        or re.match(r"case \w+:( return .*;)?$", text)):
                    continue
                kept.append((number, re.sub(r"\s+", " ", text)))
        lines[path] = kept
    windows = collections.defaultdict(list)
    for path, kept in lines.items():
        for i in range(len(kept) - 5):
            key = tuple(text for _, text in kept[i:i + 6])
            if sum(len(text) > 3 for text in key) >= 4:
                windows[key].append((path, i))
    twice = {place for places in windows.values() if len(places) > 1
             for place in places}
    count = sum(len({j for p, i in twice if p == path for j in range(i, i + 6)})
                for path in lines)
    runs = []
    for key, places in windows.items():
        if len(places) > 1 and not all((p, i - 1) in twice for p, i in places):
            runs.append([f"{p}:{lines[p][i][0]}" for p, i in places])
    return count, sorted(runs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", nargs="?", default="build/release")
    parser.add_argument("--arrows", metavar="FOLDER")
    parser.add_argument("--circles", action="store_true")
    parser.add_argument("--duplicates", action="store_true")
    args = parser.parse_args()

    found = objects(args.build)
    if not found:
        sys.exit(f"architecture.py: no objects below '{args.build}'")
    names = {source: symbols(path) for source, path in found.items()}
    home = {}
    for source, (defined, _) in sorted(names.items()):
        if source.split("/")[0] in PRODUCT:
            for name in defined:
                home.setdefault(name, source)
    calls = {source: {home[n] for n in needed if n in home}
             for source, (_, needed) in names.items()}

    product = [s for s in names if s.split("/")[0] in PRODUCT]
    folders = collections.defaultdict(list)
    for source in product:
        folders[os.path.dirname(source)].append(source)

    if args.arrows:
        for source in sorted(product):
            if os.path.dirname(source) == args.arrows:
                for other in sorted(calls[source]):
                    if os.path.dirname(other) == args.arrows and other != source:
                        print(f"{source} -> {other}")
        return
    if args.duplicates:
        count, runs = duplicates(sorted(product))
        for run in runs:
            print(" = ".join(run))
        return

    print("| folder | files | lines | floors | circles | largest | exports |")
    print("|---|---|---|---|---|---|---|")
    totals = [0, 0]
    for folder in sorted(folders):
        files = folders[folder]
        texts = [n for n in os.listdir(os.path.join(ROOT, folder))
                 if n.endswith((".c", ".h"))]
        length = 0
        for n in texts:
            with open(os.path.join(ROOT, folder, n)) as source:
                length += sum(1 for _ in source)
        floors, circles = inside(files, calls)
        exports = sum(len(names[s][0]) for s in files)
        print(f"| `{folder}` | {len(texts)} | {length} | {floors} |"
              f" {sum(map(len, circles))} |"
              f" {max(map(len, circles), default=0)} | {exports} |")
        totals[0] += len(texts)
        totals[1] += length
        if args.circles:
            for circle in circles:
                print("  circle:", " ".join(os.path.basename(f)
                                            for f in circle), file=sys.stderr)
    floors, circles = inside(product, calls)
    arrows = {(os.path.dirname(f), os.path.dirname(g))
              for f in product for g in calls[f]}
    edges = collections.defaultdict(set)
    for a, b in arrows:
        if a != b:
            edges[a].add(b)
    rounds = [p for p in components(sorted(folders), edges) if len(p) > 1]
    count, _ = duplicates(sorted(product))
    print(f"\nfiles {totals[0]}, lines {totals[1]}, floors {floors}, files in"
          f" circles {sum(map(len, circles))}, the largest"
          f" {max(map(len, circles), default=0)}")
    print("folders that call each other in circles:",
          "; ".join(" ".join(p) for p in rounds) or "none")
    print(f"lines in runs of six and more that occur twice: {count}")


main()
