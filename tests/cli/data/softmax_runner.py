# SPDX-License-Identifier: Apache-2.0
"""A runner (docs/runner-protocol.md) for softmax.py: float32 by way of double,
each operation rounded. softmax_runner.py FAULT DIR...: "none", or "lost", which
leaves the last term out of each sum.
"""
import json
import math
import os
import struct
import sys


def f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def read(path):
    data = open(path, "rb").read()
    end = 10 + struct.unpack("<H", data[8:10])[0]
    return struct.unpack("<%df" % ((len(data) - end) // 4), data[end:])


def write(path, shape, values):
    text = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s,), }" % (
        ", ".join(map(str, shape)))
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)))
        f.write(text.encode())
        f.write(struct.pack("<%df" % len(values), *values))


def exp(x):
    return 0.0 if x <= -110 else math.inf if x == math.inf else f32(math.exp(x))


def largest(values):
    most = -60000.0
    for x in values:
        most = most if most > x else x
    return most


def softmax(row, lost):
    s = [f32(x * f32(0.17677669529663687)) for x in row]
    m = largest(s)
    e = [exp(f32(x - m)) for x in s]
    z = 0.0
    for x in e[:-1] if lost else e:
        z = f32(z + x)
    return [f32(x / z) if z else math.nan for x in e]


for folder in sys.argv[2:]:
    request = json.load(open(os.path.join(folder, "request.json")))
    x, y = request["arguments"]
    values, n = read(os.path.join(folder, x["in"])), x["shape"][1]
    out = []
    for i in range(x["shape"][0]):
        out += softmax(values[i * n:i * n + n], sys.argv[1] == "lost")
    write(os.path.join(folder, y["out"]), y["shape"], out)
