# SPDX-License-Identifier: Apache-2.0
"""Jobs for `diffcheck library-job` as no library sends them: each gets an
answer, and never a crash.

    python3 jobs.py PROGRAM
"""

import random
import socket
import struct
import subprocess
import sys

MAGIC = 0x6469666663686B31
MODULE = b"""# from tvm.script import tir as T
@T.prim_func
def f(A: T.Buffer((4,), "int32")):
    for i in range(4):
        A[i] = A[i] + 1
"""


def job(version, words, *texts):
    """A job as the library sends it; texts: names and modules in turn."""
    parts = [version + b"\0", b"".join(w + b"\0" for w in words) + b"\0"]
    parts += [t + b"\0" for t in texts]
    lengths = [len(p) for p in parts] + [0] * (6 - len(parts))
    return struct.pack("<7Q", MAGIC, *lengths) + b"".join(parts)


def answer(program, data):
    """(status, verdict, error) or None where there is no answer."""
    here, there = socket.socketpair()
    with here:
        with there:
            child = subprocess.Popen(
                [program, "library-job"], stdin=there, stderr=subprocess.DEVNULL
            )
        here.sendall(data)
        here.shutdown(socket.SHUT_WR)
        got = b""
        while True:
            part = here.recv(65536)
            if not part:
                break
            got += part
    child.wait()
    if child.returncode != 0 or len(got) < 48:
        return None
    magic, status, verdict, error, text, json = struct.unpack("<QqqQQQ", got[:48])
    assert magic == MAGIC and len(got) == 48 + error + text + json
    return status, verdict, got[48 : 47 + error]


def main(program):
    version = (
        subprocess.run([program, "--version"], stdout=subprocess.PIPE, check=True)
        .stdout.split()[1]
    )
    whole = job(version, [b"--jobs=1"], b"a", MODULE, b"b", MODULE)
    assert answer(program, whole) == (0, 7, b""), answer(program, whole)
    read = job(version, [], b"a", MODULE)
    assert answer(program, read) == (0, -1, b""), answer(program, read)

    other = answer(program, job(b"9.9", [], b"a", MODULE))
    assert other[0] == 3 and b"of version 9.9" in other[2], other
    empty = answer(program, job(version, [b"", b""], b"", b"", b"", b""))
    assert empty[0] == 2, empty

    chosen = random.Random(1)
    tried = 0
    for cut in list(range(0, 60, 5)) + [len(whole) - 1]:
        tried += 1
        got = answer(program, whole[:cut])
        assert got and got[0] == 3, (cut, got)
    for _ in range(40):
        tried += 1
        data = bytearray(whole)
        for _ in range(chosen.randint(1, 4)):
            data[chosen.randrange(72)] = chosen.randrange(256)
        got = answer(program, bytes(data))
        assert got is not None, bytes(data)
    print("%d broken jobs answered" % tried)


main(sys.argv[1])
