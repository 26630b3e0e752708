#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# wheel.sh BUILD: the wheel in fresh virtual environments: its command, its
# package, without TVM and beside one; auditwheel has its say on the tag. Prints
# the seconds from `pip install` to the first verdict. What needs the network,
# TVM and auditwheel, is skipped where there is none.

set -eu
build=$1
pair=corpora/relax294
skipped=

fail()
{
    echo "FAILED: $*"
    exit 1
}

for tool in python3 ldd objdump strip dpkg-query; do
    command -v "$tool" >/dev/null || {
        echo "skipped: no $tool"
        exit 77
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$build" --target diffcheck_wheel >"$work/log" 2>&1 || {
    cat "$work/log"
    fail "no program for the wheel"
}
program=$build/packaging/wheel/diffcheck
version=$("$build/diffcheck" --version | cut -d' ' -f2)
python3 packaging/wheel.py "$program" python/diffcheck "$version" \
    "$work/wheel" >"$work/path" || fail "no wheel"
wheel=$(cat "$work/path")
python3 packaging/wheel.py "$program" python/diffcheck "$version" \
    "$work/again" >/dev/null
cmp "$wheel" "$work/again/${wheel##*/}" || fail "made twice, it differs"
python3 packaging/wheel.py "$build/no-such" python/diffcheck "$version" \
    "$work/again" >/dev/null 2>&1 && fail "a wheel of no program"
python3 packaging/wheel.py /bin/true python/diffcheck "$version" \
    "$work/again" >/dev/null 2>&1 && fail "a wheel without a solver"

# now: seconds with a fraction
now()
{
    date +%s.%N
}

python3 -m venv "$work/venv" >"$work/log" 2>&1 || {
    tail -n 3 "$work/log"
    echo "skipped: no python3 -m venv"
    exit 77
}
begun=$(now)
"$work/venv/bin/pip" install --quiet --no-index "$wheel" >"$work/log" 2>&1 || {
    cat "$work/log"
    fail "pip install"
}
"$work/venv/bin/diffcheck" $pair/tuned.py $pair/untuned.py >"$work/out" ||
    fail "exit $?"
ended=$(now)
grep -qi '^order-only' "$work/out" || fail "$(cat "$work/out")"
echo "from pip install to the first verdict:" \
    "$(echo "$ended - $begun" | awk '{ printf "%.1f s", $1 - $3 }')"

# With nothing but itself, and what manylinux promises (zlib among it): no library of the
# system's that only it has.
env -i HOME="$work" PATH=/usr/bin:/bin "$work/venv/bin/diffcheck" --version |
    grep -qx "diffcheck $version" || fail "version"
bin=$("$work/venv/bin/python" -c 'import diffcheck; print(diffcheck.program())')
case $bin in
"$work"/venv/lib/*/diffcheck/bin/diffcheck) ;;
*) fail "another program is run: $bin" ;;
esac
ldd "$bin" | awk -v own="${bin%/*}/" '
/lib(z3|cjson|mpfr|gmp)\./ { n++ }
!/vdso|ld-linux|lib(c|m|pthread|dl|rt|gcc_s|stdc\+\+|z)\.so/ && index($3, own) != 1 {
    print "not its own: " $0 }
END { if (n != 4) print n " libraries of its own, not 4" }' >"$work/strange"
[ ! -s "$work/strange" ] || fail "$(cat "$work/strange")"
"$work/venv/bin/python" -B tests/packages/test_package.py >"$work/log" 2>&1 || {
    cat "$work/log"
    fail "the package without TVM"
}

# The action installs it, and nothing else, where it is named.
(
    cd corpora && env -i PATH=/usr/bin:/bin HOME="$work" PIP_NO_INDEX=1 \
        RUNNER_TEMP="$work" DIFFCHECK_ACTION="$PWD/.." DIFFCHECK_WHEEL="$wheel" \
        DIFFCHECK_PATHS=relax294 bash ../packaging/action/run.sh
) >"$work/out" 2>&1 || {
    cat "$work/out"
    fail "the action with the wheel"
}

if python3 -m venv "$work/audit" && "$work/audit/bin/pip" install --quiet \
    auditwheel >"$work/log" 2>&1; then
    "$work/audit/bin/auditwheel" show "$wheel" >"$work/out" 2>&1 || {
        cat "$work/out"
        fail "auditwheel"
    }
    tag=$(echo "${wheel##*/}" | sed 's/.*none-//; s/\.whl//')
    tr '\n' ' ' <"$work/out" | grep -q "constrains the platform tag to \"$tag\"\|consistent with the following platform tag: \"$tag\"" || {
        cat "$work/out"
        fail "auditwheel knows it by another tag than $tag"
    }
    echo "auditwheel: $tag"
else
    echo "skipped: auditwheel cannot be installed"
    skipped=77
fi

if python3 -m venv "$work/tvm" && "$work/tvm/bin/pip" install --quiet \
    --only-binary :all: apache-tvm==0.27.0.post1 apache-tvm-ffi==0.1.14.post1 \
    numpy >"$work/log" 2>&1; then
    "$work/tvm/bin/pip" install --quiet --no-index "$wheel" || fail "pip install"
    "$work/tvm/bin/python" -B tests/packages/test_package.py --with-tvm \
        >"$work/log" 2>&1 || {
        cat "$work/log"
        fail "the package beside TVM"
    }
    echo "beside TVM 0.27: $(sed -n 's/^Ran //p' "$work/log")"
else
    tail -n 3 "$work/log"
    echo "skipped: TVM cannot be installed"
    skipped=77
fi
exit ${skipped:-0}
