#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Who may include whom (docs/architecture.md):
#   ir/base <- ir/num <- ir <- {interp, verifier, schedule, audit, reports}
#           <- diff <- fuzz; tests and bench may include all.
# verifier/enumerate is a layer of its own beside interp: it checks the prover,
# so it includes nothing of it.
# Inside a folder its rooms (folders of it) stand in an order, given below: a
# file includes of its folder what stands in its own room, in one before, or is
# public; files of the folder itself come after all rooms. "a=b" are two rooms that
# call each other, because the IR is recursive: a statement is a launch, say, and
# a thread of it runs statements.
# Also: quoted includes give the full path of a file that exists; a header of
# another layer must be that layer's public one (a test named *_internal, or a toy, may
# use a private one); third-party headers only where they belong.

# shellcheck source=tests/style/lib.sh
. "$(dirname "$0")/lib.sh"

sources >"$work/sources"
files >"$work/files"
awk -v list="$work/files" -v order="$work/sources" -v offered="$public" '
function layer(path) {
    if (path ~ /^ir\/base\//) return "base"
    if (path ~ /^ir\/num\//) return "num"
    if (path ~ /^verifier\/enumerate\//) return "enumerate"
    sub(/\/.*/, "", path)
    return path
}
# Where a file stands in the order of its folder; 0: its folder has none.
function room(path) {
    return match(path, /^[a-z]+\/[a-z_]+\//) ? \
        substr(path, 1, RLENGTH - 1) : path
}
function rank(path,    top) {
    top = path
    sub(/\/.*/, "", top)
    if (room(path) in place)
        return place[room(path)]
    return top in rooms ? rooms[top] + 1 : 0
}
function put_in_order(top, list,    n, a, i, k, b, j) {
    n = split(list, a, " ")
    for (i = 1; i <= n; i++) {
        k = split(a[i], b, "=")
        for (j = 1; j <= k; j++)
            place[top "/" b[j]] = i
    }
    rooms[top] = n
}
function tell(text) {
    print file ":" line ": " text
}
function quoted(path,    from, to) {
    if (!(path in known)) {
        tell("include \"" path "\": no such file from the source root")
        return
    }
    from = layer(file)
    to = layer(path)
    if (from == to) {
        if (rank(path) > rank(file) && !(path in public))
            tell("room " room(file) " comes before " room(path) " (" path ")")
        return
    }
    if (!(from in may) || index(may[from], " " to " ") == 0) {
        tell("layer " from " may not include layer " to " (" path ")")
        return
    }
    if (!(path in public) && path !~ /\.def$/ && file !~ /_internal\.[ch]$|^tests\/toys\//)
        tell("\"" path "\" is private to its folder")
}
function angled(path) {
    if (path in c11)
        return
    if (path in posix) {
        if (file !~ /^(ir\/base|diff|fuzz|tests|bench)\// &&
            !(path == "dlfcn.h" && file == "verifier/smt/solver_memory.c"))
            tell("<" path "> is POSIX: only in ir/base, diff, fuzz, tests")
    } else if (path ~ /^cjson\//) {
        if (file != "ir/base/json.c")
            tell("<" path "> only in ir/base/json.c")
    } else if (path ~ /^z3/) {
        if (file !~ /^(verifier\/smt|bench|tests\/hostile)\// && file !~ /_internal\.c$/)
            tell("<" path "> only in verifier/smt/")
    } else if (path ~ /^(mpfr|gmp)\.h$/) {
        if (file !~ /^(tests\/)?ir\/num\//)
            tell("<" path "> only in ir/num and tests/ir/num")
    } else if (path == "sqlite3.h") {
        if (file !~ /^(tests\/)?diff\/gate\//)
            tell("<" path "> only in diff/gate")
    } else if (path == "sha2.h" || path == "elf.h" || path == "link.h") {
        if (file != "diff/gate/gate_key.c" &&
            !(path == "sha2.h" && file == "diff/input/digest.c"))
            tell("<" path "> only in diff/gate/gate_key.c (hashes: and " \
                "diff/input/digest.c)")
    } else if (path == "zlib.h") {
        if (file != "diff/saved/saved_zip.c")
            tell("<" path "> only in diff/saved/saved_zip.c")
    } else if (path ~ /^isl\//) {
        if (file !~ /^tests\/isl\//)
            tell("<" path "> only in tests/isl")
    } else if (path == "diffcheck.h") {
        if (file !~ /^examples\//)
            tell("<" path "> only in examples, as a user has it")
    } else if (path == "cmocka.h") {
        if (file != "tests/test.h")
            tell("<" path "> only in tests/test.h")
    } else
        tell("<" path "> is not on the list of headers used here")
}
BEGIN {
    put_in_order("verifier", \
        "affine smt front value spec compare safety certificate prove relax")
    put_in_order("interp", \
        "machine=threads data keyed slices domains fast replay run")
    put_in_order("diff", \
        "emit drift why input engine harness targets caller saved plots cli batch " \
        "gate bisect db api commands")
    put_in_order("audit", "record readers count devices")
    may["num"] = " base "
    may["ir"] = " base num "
    may["interp"] = may["verifier"] = may["schedule"] = may["audit"] = may["reports"] = \
        " base num ir "
    may["enumerate"] = may["interp"]
    may["verifier"] = may["verifier"] " enumerate "
    may["diff"] = " base num ir interp verifier schedule audit reports "
    may["fuzz"] = may["diff"] "diff "
    may["tests"] = may["bench"] = may["fuzz"] "fuzz enumerate "
    n = split(offered, a, " ")
    for (i = 1; i <= n; i++)
        public[a[i]] = 1
    n = split("assert ctype errno fenv float inttypes limits math setjmp " \
        "signal stdalign stdarg stdatomic stdbool stddef stdint stdio " \
        "stdlib stdnoreturn string time", a, " ")
    for (i = 1; i <= n; i++)
        c11[a[i] ".h"] = 1
    n = split("dirent dlfcn fcntl poll pthread spawn strings unistd sys/ioctl sys/prctl " \
        "sys/resource sys/socket sys/stat sys/syscall sys/time sys/types " \
        "sys/utsname sys/wait " \
        "linux/audit linux/filter linux/landlock linux/seccomp", a, " ")
    for (i = 1; i <= n; i++)
        posix[a[i] ".h"] = 1
    while ((getline path < list) > 0)
        known[path] = 1
    while ((getline file < order) > 0) {
        line = 0
        while ((getline text < file) > 0) {
            line++
            if (text !~ /^[ \t]*#[ \t]*include/)
                continue
            if (match(text, /"[^"]*"/))
                quoted(substr(text, RSTART + 1, RLENGTH - 2))
            else if (match(text, /<[^>]*>/))
                angled(substr(text, RSTART + 1, RLENGTH - 2))
            else
                tell("include of neither \"path\" nor <path>")
        }
        close(file)
    }
}' >"$faults"
finish "layers"
