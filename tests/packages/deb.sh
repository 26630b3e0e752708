#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# deb.sh BUILD: makes the Debian package, installs it with what it depends on in
# a Debian 12 that has nothing but its base system (a folder, by debootstrap),
# and has it judge real pairs there. The mirror is the one that this machine's
# apt uses. Skipped where that cannot be: not root, no debootstrap, no network.

set -eu
build=$1
pair=corpora/relax294

fail()
{
    echo "FAILED: $*"
    exit 1
}

skip()
{
    echo "skipped: $*"
    exit 77
}

for tool in cpack dpkg-deb dpkg-shlibdeps; do
    command -v "$tool" >/dev/null || skip "no $tool"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/cpack" \
    >"$work/log" 2>&1 || {
    cat "$work/log"
    fail "cpack"
}
deb=$(find "$work/cpack" -maxdepth 1 -name 'diffcheck_*_*.deb')
[ -f "$deb" ] || fail "no package"
dpkg-deb -f "$deb" Depends | grep -q 'libz3-4' || fail "depends on no solver"
dpkg-deb -c "$deb" >"$work/contents"
for file in usr/bin/diffcheck usr/share/man/man1/diffcheck.1.gz \
    usr/share/zsh/vendor-completions/_diffcheck usr/include/diffcheck.h \
    usr/share/diffcheck/report.schema.json; do
    grep -q " \./$file\$" "$work/contents" || fail "no $file in the package"
done

[ "$(id -u)" = 0 ] || skip "a clean system is made by root alone"
command -v debootstrap >/dev/null || skip "no debootstrap for a clean system"
mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 2>/dev/null |
    awk '$2 == "bookworm" { print $1; exit }')
[ -n "$mirror" ] || skip "apt knows no mirror of Debian 12"
root=$work/root
debootstrap --variant=minbase --include=ca-certificates bookworm "$root" \
    "$mirror" >"$work/log" 2>&1 || {
    tail -n 3 "$work/log"
    skip "debootstrap made no system (no network?)"
}
cp "$deb" "$root/diffcheck.deb"
mkdir "$root/pair"
cp $pair/tuned.py $pair/untuned.py LICENSE "$root/pair/"
for file in /etc/resolv.conf /etc/hosts; do
    [ ! -f "$file" ] || cp "$file" "$root$file"
done

# inside COMMAND...: in the clean system, with nothing of this environment
inside()
{
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C \
        DEBIAN_FRONTEND=noninteractive chroot "$root" "$@" </dev/null
}

inside apt-get -q install -y --no-install-recommends /diffcheck.deb \
    >"$work/log" 2>&1 || {
    tail -n 20 "$work/log"
    fail "the package does not install"
}
inside dpkg -s diffcheck | grep -q '^Status: install ok installed' ||
    fail "not installed"
inside diffcheck pair/tuned.py pair/untuned.py >"$work/out" ||
    fail "exit $? for an order-only pair"
grep -qi '^order-only' "$work/out" || fail "$(cat "$work/out")"
status=0
inside diffcheck pair/tuned.py pair/LICENSE >"$work/out" 2>&1 || status=$?
[ "$status" = 2 ] || fail "exit $status for a licence"
inside /sbin/ldconfig -p | grep -q libdiffcheck.so.0 || fail "no library"
inside dpkg --purge diffcheck >/dev/null 2>&1 || fail "does not go again"
[ ! -e "$root/usr/bin/diffcheck" ] || fail "leaves the program behind"
echo "installed in a clean Debian 12, run and removed"
