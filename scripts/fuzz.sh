#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/fuzz.sh TARGET SECONDS [libFuzzer option…]
#
# Builds the fuzz preset (clang, libFuzzer, ASan, UBSan) and runs fuzz_TARGET
# for so many seconds. Seeds: corpora/fuzz/TARGET, the corpora folders of that
# format, and small files of ../shared/data where that folder is there, all
# copied to a working corpus in build/fuzz/corpus/TARGET, which grows and is
# kept; DIFFCHECK_FUZZ_SEEDS=N takes N files of each of these folders. A finding
# is left in build/fuzz/findings/TARGET; exit status 1 then.

# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

if (($# < 2)) || [[ ! -f fuzz/targets/fuzz_$1.c || ! $2 =~ ^[0-9]+$ ]]; then
    echo "usage: scripts/fuzz.sh TARGET SECONDS [option...]" >&2
    echo "targets:$(printf ' %s' fuzz/targets/fuzz_*.c |
        sed 's,fuzz/targets/fuzz_,,g; s,\.c,,g')" >&2
    exit 2
fi
target=$1
seconds=$2

say "packages"
need "${build_packages[@]}" clang libclang-rt-14-dev

# One at a time: several targets may be fuzzed beside each other.
say "build (fuzz)"
mkdir -p build/fuzz
exec {lock}>build/fuzz/.lock
flock "$lock"
cmake --preset fuzz -DBUILD_TESTING=OFF
cmake --build --preset fuzz --parallel "$(cores)" --target "fuzz_$target"
flock --unlock "$lock"

corpus=build/fuzz/corpus/$target
findings=build/fuzz/findings/$target
mkdir -p "$corpus" "$findings"

# take PATTERN FOLDER...: copies small files, named by their content so that
# equal ones are stored once; of each folder DIFFCHECK_FUZZ_SEEDS at most, evenly
# spread, where that is set.
take()
{
    local pattern=$1 folder file sum step i files most=${DIFFCHECK_FUZZ_SEEDS:-}

    for folder in "${@:2}"; do
        [[ -d $folder ]] || continue
        mapfile -d '' -t files < <(find "$folder" -type f -name "$pattern" \
            -size -48k -print0 | sort -z)
        step=1
        [[ -z $most ]] || step=$(((${#files[@]} + most - 1) / most + (${#files[@]} == 0)))
        for ((i = 0; i < ${#files[@]}; i += step)); do
            file=${files[i]}
            sum=$(cksum <"$file")
            cp "$file" "$corpus/seed-${sum// /-}"
        done
    done
}

take '*' "corpora/fuzz/$target"
case $target in
tvmjson | json)
    take '*.json' corpora ../shared/data
    ;;
tvmscript)
    take '*.py' corpora ../shared/data
    ;;
npy)
    take '*.npy' ../shared/data/tvm/oracle
    ;;
esac
say "$target: $(find "$corpus" -type f | wc -l) inputs, $seconds s"

# One input of `generated` or `integers` is many runs of whole programs.
timeout=10
if [[ $target == generated || $target == integers ]]; then
    timeout=60
fi
arguments=(-max_total_time="$seconds" -rss_limit_mb=4096 -max_len=65536
    -timeout="$timeout" -detect_leaks=1 -print_final_stats=1
    -artifact_prefix="$findings/" "${@:3}")
if [[ -f corpora/fuzz/$target.dict ]]; then
    arguments+=(-dict="corpora/fuzz/$target.dict")
fi
if build/fuzz/fuzz/"fuzz_$target" "${arguments[@]}" "$corpus" </dev/null \
    >"build/fuzz/$target.log" 2>&1; then
    grep -E '^(Done|stat::)' "build/fuzz/$target.log"
    echo "fuzz_$target: no finding"
else
    tail -n 60 "build/fuzz/$target.log"
    echo "fuzz_$target: FINDING, see $findings and build/fuzz/$target.log"
    exit 1
fi
