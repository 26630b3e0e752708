# SPDX-License-Identifier: Apache-2.0
"""A runner as docs/runner-protocol.md wants it, for the matmul of matmul.py.

matmul_runner.py FAULT DIR...: reads request.json and the arguments of each
folder, multiplies with one float32 rounding an operation, writes the output.
FAULT is what it does wrong; "none" is nothing.
"""
import json
import os
import signal
import struct
import sys
import time
from fractions import Fraction


def read(path):
    data = open(path, "rb").read()
    assert data[:8] == b"\x93NUMPY\x01\x00"
    end = 10 + struct.unpack("<H", data[8:10])[0]
    assert b"'descr': '<f4'" in data[10:end], data[10:end]
    n = (len(data) - end) // 4
    return list(struct.unpack("<%df" % n, data[end:]))


def write(path, shape, values, code="f4"):
    text = "{'descr': '<%s', 'fortran_order': False, 'shape': (%s,), }" % (
        code, ", ".join(map(str, shape)))
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)))
        f.write(text.encode())
        f.write(struct.pack("<%d%s" % (len(values), "fd"[code == "f8"]),
                            *values))


def single(x):
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


def toward_zero(x):
    """A fraction as float32, rounded toward zero."""
    y = single(float(x))
    if abs(Fraction(y)) > abs(x):
        y = struct.unpack("<f", struct.pack("<I", struct.unpack("<I", struct.pack("<f", y))[0] - 1))[0]
    return y


def truncated(terms):
    """Sum of products, each operation rounded toward zero."""
    total = 0.0
    for x, y in terms:
        total = toward_zero(Fraction(total) + Fraction(toward_zero(Fraction(x) * Fraction(y))))
    return total


def multiply(request, a, b, fault):
    (m, k), (_, n) = request["arguments"][0]["shape"], request["arguments"][1]["shape"]
    out = []
    for i in range(m):
        for j in range(n):
            total = 0.0
            terms = [(a[i * k + x], b[x * n + j]) for x in range(k)]
            finite = all(abs(x) < 1e30 and abs(y) < 1e8 for x, y in terms)
            if fault == "sorts" and finite:
                for x in sorted((single(x * y) for x, y in terms), key=abs):
                    total = single(total + x)
                out.append(total)
                continue
            if fault == "truncates" and finite:
                out.append(truncated(terms))
                continue
            for x in range(k):
                if fault == "drops" and x == 3 and i == 2:
                    continue
                total = single(total + single(a[i * k + x] * b[x * n + j]))
            if fault == "scales" and abs(total) < 1e30 and total != int(total):
                total = single(total * (1 + 2**-10))
            out.append(total)
    return out


def main():
    fault, folders = sys.argv[1], sys.argv[2:]
    if fault == "exits":
        sys.exit("error: no device")
    if fault == "crashes":
        os.kill(os.getpid(), signal.SIGSEGV)
    if fault == "hangs":
        time.sleep(1000)
    for folder in folders:
        request = json.load(open(os.path.join(folder, "request.json")))
        assert request["protocol"] == 1 and request["function"] == "main"
        assert request["side"] in ("tuned", "untuned")
        for key in ("module", "script"):
            assert os.path.exists(os.path.join(folder, request[key]))
        names = [x["name"] for x in request["arguments"]]
        assert names == ["A", "B", "C"], names
        assert [x["out"] for x in request["arguments"]] == [None, None, "out2.npy"]
        a, b, c = (read(os.path.join(folder, x["in"]))
                   for x in request["arguments"])
        out = multiply(request, a, b, fault)
        if fault == "varies" and folder == folders[1]:
            out[7] += 1.0
        if fault == "unsteady":
            out[7] += os.getpid()
        shape, code = request["arguments"][2]["shape"], "f4"
        assert len(c) == len(out)
        if fault == "short":
            shape, out = shape[:1], out[:shape[0]]
        if fault == "nan":
            out = [float("nan")] * len(out)
        if fault == "type":
            code = "f8"
        if fault == "missing" and folder == folders[-1]:
            break
        write(os.path.join(folder, request["arguments"][2]["out"]), shape, out, code)
        if fault == "cut":
            os.truncate(os.path.join(folder, "out2.npy"), 100)


main()
