# SPDX-License-Identifier: Apache-2.0
"""many.py REPORT.json N: a report of N pairs, all findings, from that of one. Every
tenth is `unsafe`, and each takes another time."""

import copy
import json
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        one = json.load(f)
    reports = []
    for i in range(int(sys.argv[2])):
        report = copy.deepcopy(one)
        pair = report["pairs"][0]
        pair["time_s"] = (i * 7919 % 10007) / 1000
        if i % 10 == 0:
            pair["verdict"] = report["verdict"] = "unsafe"
        reports.append({"name": "kernel_%05d" % i, "time_s": pair["time_s"],
                        "report": report})
    json.dump({"schema": 1, "tool": "diffcheck", "exit": 1, "time_s": 1,
               "reports": reports}, sys.stdout)


main()
