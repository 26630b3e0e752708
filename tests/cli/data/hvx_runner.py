# SPDX-License-Identifier: Apache-2.0
"""A runner (docs/runner-protocol.md) for the matmul of matmul_f16.py that
computes as Hexagon's vector unit does by docs/semantics.md A17: written from
that rule with fractions, and not from the code that it tests.

hvx_runner.py FAULT DIR...: "none", or "drops", which leaves out a term.
"""
import json
import math
import os
import struct
import sys
from fractions import Fraction

DIGITS, LEAST, MOST = 10, -15, 16


def numbers(path):
    data = open(path, "rb").read()
    end = 10 + struct.unpack("<H", data[8:10])[0]
    assert b"'descr': '<f2'" in data[10:end]
    n = (len(data) - end) // 2
    return list(struct.unpack("<%dH" % n, data[end:]))


def write(path, shape, bits):
    text = "{'descr': '<f2', 'fortran_order': False, 'shape': (%s,), }" % (
        ", ".join(map(str, shape)))
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)))
        f.write(text.encode())
        f.write(struct.pack("<%dH" % len(bits), *bits))


def value(bits):
    """Magnitude and exponent; the highest exponent is as any other."""
    field, fraction = bits >> 10 & 31, bits & 1023
    e = max(field - 15, -14)
    m = Fraction(fraction + (1024 if field else 0), 1024)
    return bits >> 15, m, e


def rounded(m, e):
    """A signed significand and its exponent as a qfloat: an odd number of
    units, and the exponent."""
    raised = False
    large = abs(m) >= 2 and m != -2
    if e > MOST or (large and e == MOST):
        s, e = (2047 if m >= 0 else -2047), MOST
    elif e < LEAST - 1:
        s, e = (1 if m >= 0 else -1), LEAST
    else:
        if e < MOST and (large or e == LEAST - 1):
            m, e, raised = m / 2, e + 1, True
        units = m * 1024
        base = 4 * math.floor(units / 4)
        rest = units - base
        if raised or e == MOST:
            s = base + (1 if rest <= 2 else 3)
        elif rest <= Fraction(3, 2):
            s = base + 1
        elif rest > Fraction(5, 2):
            s = base + 3
        else:
            s, e = (base + 2) // 2, e + 1
    return s, (LEAST if m == 0 else e)


def half(s, e):
    """The float16 bits of s units at exponent e."""
    x = Fraction(abs(s), 1024) * Fraction(2) ** e
    sign = 0x8000 if s < 0 else 0
    top = max(e, -14)
    while top > -14 and x < Fraction(2) ** top:
        top -= 1
    units = x / Fraction(2) ** top * 1024
    n = round(units)  # to even at ties
    return sign | (((top + 14) << 10) + n)


def multiply(a, b):
    (p, x, d), (q, y, e) = value(a), value(b)
    s, f = rounded(x * y, d + e)
    return half(-s if p != q else s, f)


def add(a, b):
    (p, x, d), (q, y, e) = value(a), value(b)
    top = max(d, e)
    x *= Fraction(2) ** (d - top)
    y *= Fraction(2) ** (e - top)
    if p and q:
        s, f = rounded(x + y, top)
        return half(-s, f)
    return half(*rounded((-x if p else x) + (-y if q else y), top))


def matmul(fault, a, b, m, k, n):
    out = []
    for i in range(m):
        for j in range(n):
            total = 0
            for x in range(k):
                if fault == "drops" and x == 3 and i == 2:
                    continue
                total = add(total, multiply(a[i * k + x], b[x * n + j]))
            out.append(total)
    return out


def main():
    for folder in sys.argv[2:]:
        request = json.load(open(os.path.join(folder, "request.json")))
        x, y, z = request["arguments"]
        a, b = (numbers(os.path.join(folder, t["in"])) for t in (x, y))
        (m, k), n = x["shape"], y["shape"][1]
        write(os.path.join(folder, z["out"]), z["shape"],
              matmul(sys.argv[1], a, b, m, k, n))


main()
