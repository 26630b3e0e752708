# SPDX-License-Identifier: Apache-2.0
"""Arrays in .npy files without NumPy: (descr, shape, numbers or bits)."""
import ast
import struct

CODES = {"<f4": "f", "<f8": "d", "<u2": "H", "<u4": "I", "<i4": "i",
         "|u1": "B", "|b1": "B", "<f2": "H", "<i8": "q"}


def read(path):
    """float16 comes as bits."""
    with open(path, "rb") as file:
        raw = file.read()
    assert raw[:8] == b"\x93NUMPY\x01\x00", raw[:8]
    end = 10 + struct.unpack("<H", raw[8:10])[0]
    head = ast.literal_eval(raw[10:end].decode().strip())
    code = CODES[head["descr"]]
    n = (len(raw) - end) // struct.calcsize("<" + code)
    return head["descr"], head["shape"], struct.unpack("<%d%s" % (n, code),
                                                       raw[end:])


def write(path, descr, shape, values):
    text = str({"descr": descr, "fortran_order": False, "shape": shape})
    text += " " * (-(10 + len(text) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)))
        file.write(text.encode())
        file.write(struct.pack("<%d%s" % (len(values), CODES[descr]), *values))


def flip(path, element, mask):
    """Flips bits of one element of four or two bytes, whatever its type."""
    descr, shape, values = read(path)
    size = int(descr[2:])
    codes = {2: "H", 4: "I"}
    raw = bytearray(struct.pack("<%d%s" % (len(values), CODES[descr]),
                                *values))
    at = element * size
    word, = struct.unpack_from("<" + codes[size], raw, at)
    struct.pack_into("<" + codes[size], raw, at, word ^ mask)
    write(path, descr, shape, struct.unpack("<%d%s" % (len(values),
                                                       CODES[descr]),
                                            bytes(raw)))
