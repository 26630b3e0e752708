#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# install.sh BUILD: `cmake --install` into a fresh folder; then a program is
# compiled against it by what pkg-config says, and run; the manual page and the
# completions are those of the program installed.

set -eu
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/usr

fail()
{
    echo "FAILED: $*"
    exit 1
}

cmake --install "$build" --prefix "$prefix" >"$work/log" || {
    cat "$work/log"
    fail "cmake --install"
}
(cd "$prefix" && find . -type f -o -type l) | sed 's,^\./,,' | sort \
    >"$work/files"
lib=$(sed -n 's,/pkgconfig/diffcheck\.pc$,,p' "$work/files")
{
    echo bin/diffcheck
    echo include/diffcheck.h
    for name in pkgconfig/diffcheck.pc libdiffcheck.so libdiffcheck.so.0; do
        echo "$lib/$name"
    done
    echo "$lib/libdiffcheck.so.$("$prefix/bin/diffcheck" --version |
        cut -d' ' -f2)"
    echo share/bash-completion/completions/diffcheck
    echo share/diffcheck/diffcheck-array.sh
    echo share/diffcheck/diffcheck-job.yaml
    echo share/diffcheck/report.schema.json
    echo share/doc/diffcheck/README.md
    echo share/doc/diffcheck/copyright
    find examples -type f | sed 's,^,share/doc/diffcheck/,'
    echo share/fish/vendor_completions.d/diffcheck.fish
    echo share/man/man1/diffcheck.1
    echo share/zsh/site-functions/_diffcheck
} | sort | diff - "$work/files" || fail "files"

pair=corpora/relax294
"$prefix/bin/diffcheck" $pair/tuned.py $pair/untuned.py >"$work/out"
grep -qi '^order-only' "$work/out" || fail "no verdict: $(cat "$work/out")"

"$prefix/bin/diffcheck" help --man | cmp - "$prefix/share/man/man1/diffcheck.1" ||
    fail "manual page"
"$prefix/bin/diffcheck" help --json-schema |
    cmp - "$prefix/share/diffcheck/report.schema.json" || fail "schema"
"$prefix/bin/diffcheck" completion bash |
    cmp - "$prefix/share/bash-completion/completions/diffcheck" ||
    fail "completion"

if ! command -v pkg-config >/dev/null || ! command -v cc >/dev/null; then
    echo "skipped: no pkg-config or no cc, so that nothing is compiled"
    exit 77
fi
# Moved after it was installed, it is found all the same.
mv "$prefix" "$work/moved"
PKG_CONFIG_PATH=$work/moved/$lib/pkgconfig
export PKG_CONFIG_PATH
version=$("$work/moved/bin/diffcheck" --version)
[ "diffcheck $(pkg-config --modversion diffcheck)" = "$version" ] ||
    fail "pkg-config says another version than $version"
# shellcheck disable=SC2046 # flags
cc -std=c99 -Wall -Wextra -Werror -pedantic examples/use_library.c \
    $(pkg-config --cflags --libs diffcheck) -o "$work/compare" ||
    fail "the example does not compile"
LD_LIBRARY_PATH=$work/moved/$lib "$work/compare" $pair/tuned.py \
    $pair/untuned.py >"$work/out" || fail "the example fails"
grep -qx 'verdict: order-only' "$work/out" || fail "$(cat "$work/out")"
mv "$work/moved/bin/diffcheck" "$work/aside"
status=0
LD_LIBRARY_PATH=$work/moved/$lib "$work/compare" $pair/tuned.py \
    $pair/untuned.py >"$work/out" 2>&1 || status=$?
[ "$status" = 2 ] || fail "exit $status without the program"
grep -q 'diffcheck is not beside its library' "$work/out" ||
    fail "without the program: $(cat "$work/out")"
mv "$work/aside" "$work/moved/bin/diffcheck"
if command -v c++ >/dev/null; then
    printf '%s\n' '#include <diffcheck.h>' \
        'int main() { return diffcheck_exit_status(nullptr) - 2; }' \
        >"$work/host.cc"
    # shellcheck disable=SC2046 # flags
    c++ -Wall -Wextra -Werror "$work/host.cc" \
        $(pkg-config --cflags --libs diffcheck) -o "$work/host" ||
        fail "C++ does not compile"
    LD_LIBRARY_PATH=$work/moved/$lib "$work/host" || fail "C++ host"
fi
echo "installed, compiled against and run"
