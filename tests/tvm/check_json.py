# SPDX-License-Identifier: Apache-2.0
#
# Oracle for the JSON writer: does the installed TVM load what we wrote, and is
# it structurally equal to what TVM itself reads from the original?
#
#   python check_json.py MANIFEST [--self]
#
# MANIFEST holds one pair a line, separated by tabs: the file that TVM wrote
# and the file that diffcheck wrote for it (further columns are ignored), both of the era of the TVM that
# runs this (0.25: D, 0.26: E, 0.27: F). Run once per TVM, with pairs of its
# era only: a TVM that is given the JSON of another era may crash.
#
# Compared with map_free_vars: two of the faulty modules in the data use
# variables that nothing defines. --self compares every original with itself
# loaded a second time: what TVM does not find equal then is TVM's limit.
#
# Prints one line a failure and "N passed, N failed"; exit 1 on a failure.

import sys


def load(tvm, path):
    with open(path, encoding="utf-8") as file:
        return tvm.ir.load_json(file.read())


def check(tvm, original, ours):
    """Reason of the failure, or None."""
    try:
        want = load(tvm, original)
    except Exception as error:  # the original is not of this TVM
        return "TVM cannot load the original: %s" % last_line(error)
    try:
        got = load(tvm, ours)
    except Exception as error:
        return "TVM cannot load ours: %s" % last_line(error)
    try:
        tvm.ir.assert_structural_equal(got, want, map_free_vars=True)
    except Exception as error:
        return "not equal: %s" % " ".join(str(error).split())[:600]
    return None


def last_line(error):
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1][:400] if lines else type(error).__name__


def main(argv):
    import tvm

    passed = failed = 0
    with open(argv[1], encoding="utf-8") as manifest:
        lines = [line.rstrip("\n") for line in manifest if line.strip()]
    pairs = [line.split("\t")[:2] for line in lines]
    for original, ours in pairs:
        reason = check(tvm, original, original if "--self" in argv else ours)
        if reason is None:
            passed += 1
        else:
            failed += 1
            print("%s: %s" % (original, reason))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not pairs else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: check_json.py MANIFEST [--self]")
    sys.exit(main(sys.argv))
