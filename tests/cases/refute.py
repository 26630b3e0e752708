#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Refutations by the prover alone: refute.py DIFFCHECK SHARED

Runs `diffcheck prove` on every pair below SHARED/data/tvm and
SHARED/data/live-bugs that is labelled different or unsafe, and on the Relax
modules. Fails if one is called equal, if fewer than nine in ten are refuted
by a replayed counterexample, if an element that the prover names is not the
one that the replay shows, or if a Relax module gets another verdict than its
label. Exits 77 with a line "skipped: ..." when the data are not there.
"""
import json
import pathlib
import subprocess
import sys

FAULTS = ("different", "unsafe")


def cases(shared):
    for root in ("tvm", "live-bugs"):
        for file in sorted((shared / "data" / root).rglob("case.json")):
            label = json.loads(file.read_text()).get("expect")
            relax = file.parent.parent.name == "relax"
            if (label in FAULTS or relax) and (
                    file.parent / "tuned.json").is_file():
                yield file.parent, label, relax


def prove(binary, folder):
    done = subprocess.run(
        [binary, "prove", str(folder / "tuned.json"),
         str(folder / "untuned.json"), "--format", "json"],
        capture_output=True, text=True, check=False, timeout=1800)
    report = json.loads(done.stdout)
    notes = [note for pair in report["pairs"] for note in pair["notes"]]
    return report["verdict"], notes


def main():
    binary, shared = sys.argv[1], pathlib.Path(sys.argv[2])
    todo = list(cases(shared)) if shared.is_dir() else []
    if not todo:
        print(f"skipped: no labelled pairs in {shared}")
        return 77
    faulty = refuted = named = 0
    bad = []
    for folder, label, relax in todo:
        verdict, notes = prove(binary, folder)
        if relax and verdict != label:
            bad.append(f"{folder}: {verdict}, labelled {label}")
        if label not in FAULTS:
            continue
        faulty += 1
        refuted += verdict in FAULTS
        named += any("the prover named this element" in n for n in notes)
        if verdict not in FAULTS + ("unknown",):
            bad.append(f"{folder}: {verdict}, labelled {label}")
        if any("that the prover named does not show it" in n for n in notes):
            bad.append(f"{folder}: another element than the one named differs")
    print(f"{faulty} faulty pairs, {refuted} refuted, {named} at an element "
          "that the prover named")
    if refuted * 10 < faulty * 9:
        bad.append("fewer than nine in ten are refuted")
    if named * 2 < refuted:
        bad.append("fewer than half are refuted at an element that was named")
    for line in bad:
        print("NOT ALLOWED:", line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
