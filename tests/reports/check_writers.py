# SPDX-License-Identifier: Apache-2.0
"""Reports held against the standards that they follow, by tools that are not ours.

    check_writers.py JUDGES sarif FILE...       valid by the schema of SARIF 2.1.0,
                                                within a service's limits; changed
                                                ones are refused
    check_writers.py JUDGES junit XML JSON      counted by junitparser and by
                                                Python's xml against the report
    check_writers.py JUDGES text MD GITHUB JSON summary and annotations

JUDGES is the folder of setup.sh.
"""

import copy
import gzip
import json
import os
import re
import sys
import xml.etree.ElementTree

import jsonschema

wrong = []


def expect(condition, what):
    if not condition:
        wrong.append(what)
        print("FAILED:", what)


# ---- SARIF


def refused(validator, document, what, change):
    broken = copy.deepcopy(document)
    change(broken["runs"][0])
    expect(not validator.is_valid(broken), what + " is not refused")


def set_at(*path):
    """A change of the run: the value at the path, the last of which is it."""

    def change(run):
        at = run
        for key in path[:-2]:
            at = at[key]
        at[path[-2]] = path[-1]

    return change


def check_broken(validator, document):
    first = ("results", 0)
    changes = {
        "another level": set_at(*first, "level", "fatal"),
        "no message": lambda run: run["results"][0].pop("message"),
        "a line 0": set_at(
            *first, "locations", 0, "physicalLocation", "region", "startLine", 0
        ),
        "an unknown member": set_at(*first, "lines", 3),
        "a rule of another type": set_at(*first, "ruleId", 3),
        "a tool without driver": lambda run: run["tool"].pop("driver"),
        "another state": set_at(*first, "baselineState", "old"),
    }
    for what, change in changes.items():
        refused(validator, document, what, change)


def steps(result):
    return [
        [step["location"] for step in flow["locations"]]
        for flow in result["codeFlows"][0]["threadFlows"]
    ]


def check_result(name, run, result):
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    expect(rule["id"] == result["ruleId"], name + ": another rule's index")
    expect(len(result["message"]["text"]) <= 1100, name + ": a long message")
    expect(
        re.fullmatch("[0-9a-f]{16}", result["partialFingerprints"]["diffcheck/v1"]),
        name + ": no fingerprint",
    )
    if result["ruleId"] == "input":
        return
    has = result["properties"]
    expect("assumptions" in has, name + ": no assumptions")
    expect("--seed" in has["reproduce"], name + ": no command")
    if result["ruleId"] == "unsafe/race":
        flows = steps(result)
        expect(len(flows) == 2, name + ": not two flows")
        for flow in flows:
            expect(len(flow) == 1, name + ": not one step")
            region = flow[0]["physicalLocation"]["region"]
            expect(region["startLine"] > 1, name + ": no line")
            expect(
                re.match("(read|write)( by |: )", flow[0]["message"]["text"]),
                name + ": what the access is",
            )
        kinds = [flow[0]["message"]["text"].split()[0] for flow in flows]
        expect(any(k.startswith("write") for k in kinds), name + ": two reads")
    else:
        expect("codeFlows" not in result, name + ": a flow of no race")
    if result["ruleId"].startswith(("different/", "unsafe/")):
        expect(has["seed"] >= 1, name + ": no seed")


def check_sarif(judges, *files):
    with open(os.path.join(judges, "sarif.json"), encoding="utf-8") as file:
        schema = json.load(file)
    validator = jsonschema.Draft4Validator(schema)
    rules = set()
    for name in files:
        with open(name, "rb") as file:
            data = file.read()
        document = json.loads(data.decode("utf-8"))
        for error in validator.iter_errors(document):
            where = "/".join(map(str, error.absolute_path))
            expect(False, "%s: /%s: %s" % (name, where, error.message[:200]))
        expect(document["version"] == "2.1.0", name + ": version")
        expect(len(gzip.compress(data)) <= 10000000, name + ": more than 10 MB")
        expect(len(document["runs"]) == 1, name + ": not one run")
        run = document["runs"][0]
        expect(len(run["results"]) <= 25000, name + ": more than 25 000 results")
        for result in run["results"]:
            check_result(name, run, result)
            rules.add(result["ruleId"])
        if run["results"]:
            check_broken(validator, document)
    print("\n".join(sorted(rules)))


# ---- JUnit


def check_junit(judges, xml_file, json_file):
    sys.path.insert(0, judges)
    import junitparser

    with open(json_file, encoding="utf-8") as file:
        report = json.load(file)
    counts = report["counts"]
    inner = [p for r in report["reports"] for p in r["report"]["pairs"]]
    internal = sum(p["exit"] == 3 for p in inner)
    want = {
        "tests": counts["pairs"],
        "failures": counts["findings"] - internal,
        "errors": counts["errors"] + internal,
        "skipped": counts["undecided"] + counts.get("known", 0),
    }
    suites = junitparser.JUnitXml.fromfile(xml_file)
    cases = [case for suite in suites for case in suite]
    kinds = {"failures": "Failure", "errors": "Error", "skipped": "Skipped"}
    for key, kind in kinds.items():
        n = sum(any(type(r).__name__ == kind for r in c.result) for c in cases)
        expect(n == want[key], "%d %s by junitparser, not %d" % (n, key, want[key]))
    expect(len(cases) == want["tests"], "cases by junitparser")
    root = xml.etree.ElementTree.parse(xml_file).getroot()
    suite = root.find("testsuite")
    for key, n in want.items():
        expect(suite.get(key) == str(n), "%s=%s, not %d" % (key, suite.get(key), n))
    failures = {f.get("type") for f in suite.iter("failure")}
    expect(
        failures == {p["verdict"] for p in inner if p["exit"] == 1},
        "types of failures: %s" % failures,
    )
    for failure in suite.iter("failure"):
        expect(
            failure.text.startswith(failure.get("type").upper()),
            "a failure without the first screen",
        )


# ---- Markdown, annotations


def check_text(judges, markdown, github, json_file):
    with open(json_file, encoding="utf-8") as file:
        report = json.load(file)
    with open(markdown, encoding="utf-8") as file:
        text = file.read()
    told = [
        p
        for r in report["reports"]
        for p in r["report"]["pairs"] or [None]
        if p is None or p["exit"] != 0
    ]
    expect(len(text) < 60000, "Markdown of %d characters" % len(text))
    more = sum(map(int, re.findall(r"^… and (\d+) more$", text, re.M)))
    rows = len(re.findall(r"^\| (?!pair)", text, re.M))
    expect(rows + more == len(told), "%d rows, %d more" % (rows, more))
    screens = len(re.findall("^<details>", text, re.M))
    expect(text.count("</details>") == screens, "folds that do not close")
    more = sum(map(int, re.findall(r"^… and (\d+) more reports", text, re.M)))
    pairs = sum(p is not None for p in told)
    expect(screens + more == pairs, "%d screens, %d more" % (screens, more))
    with open(github, encoding="utf-8") as file:
        lines = file.read().splitlines()
    expect(len(lines) == len(told), "%d annotations" % len(lines))
    command = re.compile(r"::(error|warning|notice) (file=[^,:]+,)?(line=\d+,)?title=[^,]*::.")
    for line in lines:
        expect(command.match(line), "no annotation: " + line[:80])


if __name__ == "__main__":
    judge = {"sarif": check_sarif, "junit": check_junit, "text": check_text}
    judge[sys.argv[2]](sys.argv[1], *sys.argv[3:])
    sys.exit(1 if wrong else 0)
