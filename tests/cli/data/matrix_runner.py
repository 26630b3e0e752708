# SPDX-License-Identifier: Apache-2.0
"""A runner (docs/runner-protocol.md) for the products of wmma_f16.py that adds
as a matrix unit does by docs/semantics.md A21: written from that rule with
integers, and not from the code that it tests.

matrix_runner.py GROUP BITS FAULT DIR...: "none", or "rounds", which rounds to
nearest where the unit cuts off.
"""
import json
import os
import struct
import sys


def read(path):
    data = open(path, "rb").read()
    end = 10 + struct.unpack("<H", data[8:10])[0]
    assert b"'descr': '<f2'" in data[10:end]
    return struct.unpack("<%dH" % ((len(data) - end) // 2), data[end:])


def write(path, shape, bits):
    text = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s,), }" % (
        ", ".join(map(str, shape)))
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)))
        f.write(text.encode())
        f.write(struct.pack("<%dI" % len(bits), *bits))


def whole(bits):
    """The number times 2^24, and the exponent of its leading bit."""
    field, fraction = bits >> 10 & 31, bits & 1023
    units = fraction << 0 if field == 0 else (1024 | fraction) << (field - 1)
    return (-units if bits >> 15 else units), units.bit_length() - 25


def cut(x, shift):
    """x / 2^shift, toward zero."""
    if shift <= 0:
        return x << -shift
    return x >> shift if x >= 0 else -(-x >> shift)


def single(x, unit, rounds):
    """Bits of the float32 x * 2^unit."""
    size, sign = abs(x), 0x80000000 if x < 0 else 0
    if size == 0:
        return 0
    drop = max(size.bit_length() - 24, -149 - unit)
    if drop > 0:
        rest, half = size & ((1 << drop) - 1), 1 << (drop - 1)
        size >>= drop
        if rounds and (rest > half or (rest == half and size & 1)):
            size += 1
    else:
        size <<= -drop
    return sign | (((unit + drop + 149) << 23) + size)


def number(bits):
    """A float32 as an integer times 2^-149, and its leading exponent."""
    field, fraction = bits >> 23 & 255, bits & 0x7fffff
    units = fraction if field == 0 else (0x800000 | fraction) << (field - 1)
    return (-units if bits >> 31 else units), units.bit_length() - 150


def odd(total, pairs):
    """The same where NaN or an infinity takes part; None: none does."""
    f = [[struct.unpack("<e", struct.pack("<H", x))[0] for x in p] for p in pairs]
    x = sum((a * b for a, b in f), struct.unpack("<f", struct.pack("<I", total))[0])
    if x - x == 0:
        return None
    return struct.unpack("<I", struct.pack("<f", x))[0]


def add(total, pairs, keep, rounds):
    """Bits of the accumulator after one group of products."""
    terms = []
    if odd(total, pairs) is not None:
        return odd(total, pairs)
    for a, b in pairs:
        (x, d), (y, e) = whole(a), whole(b)
        if x * y:
            terms.append((x * y << 101, d + e))  # times 2^149
    x, e = number(total)
    if x:
        terms.append((x, e))
    if not terms:
        return 0
    unit = max(e for _, e in terms) - keep
    return single(sum(cut(x, unit + 149) for x, _ in terms), unit, rounds)


def main():
    group, keep, rounds = int(sys.argv[1]), int(sys.argv[2]), \
        sys.argv[3] == "rounds"
    for folder in sys.argv[4:]:
        request = json.load(open(os.path.join(folder, "request.json")))
        x, y, z = request["arguments"]
        a, b = (read(os.path.join(folder, t["in"])) for t in (x, y))
        out = []
        for i in range(16):
            for j in range(16):
                total = 0
                for k in range(0, 32, group):
                    total = add(total, [(a[i * 32 + q], b[q * 16 + j])
                                        for q in range(k, k + group)],
                                keep, rounds)
                out.append(total)
        write(os.path.join(folder, z["out"]), z["shape"], out)


main()
