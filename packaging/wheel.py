# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel of the program, the libraries that it needs, and the package.

    python3 wheel.py PROGRAM PACKAGE VERSION OUT

PROGRAM has an RPATH of $ORIGIN: its libraries lie beside it, in diffcheck/bin.
Taken along is what manylinux does not promise, the solver above all: Debian has
it as a shared library alone, and MPFR and GMP are under the LGPL, which wants
them to be replaceable. libstdc++, libgcc and zlib are promised. The copyright files
that Debian has for them go along. The tag names the newest glibc whose symbols
are used. The same input gives the same bytes. Prints the wheel's path.
"""

import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import tempfile
import zipfile

PROMISED = re.compile(
    r"^(linux-vdso|ld-linux-.*|lib(c|m|pthread|dl|rt|gcc_s|stdc\+\+|z))\.so"
)

METADATA = """Metadata-Version: 2.1
Name: diffcheck
Version: %s
Summary: Tells whether a tuned TVM kernel still computes what the untuned one did
License: Apache-2.0
Requires-Python: >=3.8
"""

WHEEL = """Wheel-Version: 1.0
Generator: diffcheck
Root-Is-Purelib: false
Tag: %s
"""

ENTRY_POINTS = """[console_scripts]
diffcheck = diffcheck:main
"""


def output(*command):
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, universal_newlines=True
    ).stdout


def libraries(program):
    """Paths of the libraries to take along, by the name they are asked for."""
    found = {}
    for line in output("ldd", program).splitlines():
        match = re.match(r"\s*(\S+)( => (\S+))?", line)
        name, path = match.group(1), match.group(3)
        if PROMISED.match(os.path.basename(name)):
            continue
        if not path or path == "not":
            sys.exit("wheel.py: %s needs %s, which is not here" % (program, name))
        found[name] = path
    if not any(name.startswith("libz3") for name in found):
        sys.exit("wheel.py: %s needs no solver: another program?" % program)
    return found


def stripped(path):
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["strip", "-o", out.name, path], check=True)
        with open(out.name, "rb") as file:
            return file.read()


def newest_glibc(paths):
    newest = (2, 17)
    for path in paths:
        for found in re.findall(r"GLIBC_(\d+)\.(\d+)", output("objdump", "-T", path)):
            newest = max(newest, tuple(int(n) for n in found))
    return newest


def copyright_of(path):
    """The package that has the library, and the file with its licence."""
    for name in (path, os.path.realpath(path), os.path.realpath(path)[4:]):
        done = subprocess.run(
            ["dpkg-query", "-S", name],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            universal_newlines=True,
            check=False,
        )
        if done.returncode == 0:
            package = done.stdout.split(":")[0]
            with open("/usr/share/doc/%s/copyright" % package, "rb") as file:
                return package, file.read()
    return sys.exit("wheel.py: no licence is known of %s" % path)


def contents(program, package, version, tag):
    """(name in the wheel, bytes, whether it is a program)"""
    info = "diffcheck-%s.dist-info/" % version
    for name in sorted(os.listdir(package)):
        if name.endswith((".py", ".typed")):
            with open(os.path.join(package, name), "rb") as file:
                yield "diffcheck/" + name, file.read(), False
    yield "diffcheck/bin/diffcheck", stripped(program), True
    for name, path in sorted(libraries(program).items()):
        yield "diffcheck/bin/" + name, stripped(path), False
        owner, text = copyright_of(path)
        yield info + "licenses/%s.copyright" % owner, text, False
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir)
    with open(os.path.join(top, "reports", "report.schema.json"), "rb") as file:
        yield "diffcheck/report.schema.json", file.read(), False
    with open(os.path.join(top, "LICENSE"), "rb") as file:
        yield info + "licenses/LICENSE", file.read(), False
    yield info + "METADATA", (METADATA % version).encode(), False
    yield info + "WHEEL", (WHEEL % tag).encode(), False
    yield info + "entry_points.txt", ENTRY_POINTS.encode(), False


def put(wheel, name, data, is_program):
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100755 if is_program else 0o100644) << 16
    wheel.writestr(entry, data)


def main(program, package, version, out):
    major, minor = newest_glibc([program] + list(libraries(program).values()))
    tag = "py3-none-manylinux_%d_%d_%s" % (major, minor, platform.machine())
    info = "diffcheck-%s.dist-info/" % version
    path = os.path.join(out, "diffcheck-%s-%s.whl" % (version, tag))
    record = ""
    os.makedirs(out, exist_ok=True)
    with zipfile.ZipFile(path + ".new", "w") as wheel:
        for name, data, is_program in contents(program, package, version, tag):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
            record += "%s,sha256=%s,%d\n" % (
                name,
                digest.rstrip(b"=").decode(),
                len(data),
            )
            put(wheel, name, data, is_program)
        put(wheel, info + "RECORD", (record + info + "RECORD,,\n").encode(), False)
    os.rename(path + ".new", path)
    print(path)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
