# SPDX-License-Identifier: Apache-2.0
"""check_sums.py REPORT.json FOLDER: the plots of two sums of float16, forwards
(untuned) and backwards (tuned), against the same sums made here from the input that
--save wrote: additions of float16 are additions of doubles, which are exact for
them, rounded once; errors are differences of exact fractions."""

import json
import math
import struct
import sys
from fractions import Fraction


def read_halves(path):
    with open(path, "rb") as f:
        data = f.read()
    size = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + size].decode(), {})  # a dict of ours
    assert header["descr"] == "<f2" and not header["fortran_order"], header
    values = struct.unpack("<%de" % math.prod(header["shape"]), data[10 + size:])
    return header["shape"], values


def half(x):
    return struct.unpack("<e", struct.pack("<e", x))[0]


def ordered(x):
    """The place of a half among all of them."""
    bits = struct.unpack("<H", struct.pack("<e", x))[0]
    return -(bits & 0x7fff) if bits & 0x8000 else bits


def partials(terms):
    """By number of terms combined, the 0 at the start being the first: as
    computed, and its error."""
    value, exact, out = 0.0, Fraction(0), {1: (0.0, 0.0)}
    for n, term in enumerate(terms, 2):
        value = half(value + term)
        exact += Fraction(term)
        out[n] = (value, float(Fraction(value) - exact))
    return out


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        plots = json.load(f)["pairs"][0]["plots"]
    shape, a = read_halves(sys.argv[2] + "/in/A.npy")
    rows = [a[i * shape[1]:(i + 1) * shape[1]] for i in range(shape[0])]
    forwards = [partials(row) for row in rows]
    backwards = [partials(row[::-1]) for row in rows]
    last = shape[1] + 1
    heat, below, above, equal = [], [0] * 33, [0] * 33, 0
    for f, b in zip(forwards, backwards):
        apart = ordered(b[last][0]) - ordered(f[last][0])
        heat.append(abs(apart))
        if apart == 0:
            equal += 1
            continue
        size = (abs(apart) - 1).bit_length()
        (above if apart > 0 else below)[size] += 1
    assert plots["heat"]["ulp"]["cells"] == heat, (plots["heat"], heat)
    assert plots["heat"]["seen"]["cells"] == [1] * len(rows)
    ulps = plots["ulps"]
    assert (ulps["equal"], ulps["odd"]) == (equal, 0), ulps
    assert (ulps["below"], ulps["above"]) == (below, above), (ulps, below, above)
    row = int(plots["element"][2:-1])
    for side, sums in (("untuned", forwards), ("tuned", backwards)):
        steps = plots[side]["steps"]
        assert len(steps) == 200 and steps[-1][0] == last, steps[-1]
        for at, value, error in steps:
            want = sums[row][at]
            assert (value, error) == want, (side, at, value, error, want)
    bound = plots["bound"]
    assert bound["beyond"] == 0 and bound["elements"] == len(rows), bound
    assert sum(bound["count"]["cells"]) + bound["equal"] == len(rows), bound
    print("%d sums of %d terms agree" % (len(rows), shape[1]))


main()
