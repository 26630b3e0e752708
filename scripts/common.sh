# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Shared by the scripts of this folder; sourced, never run. Sets strict mode,
# moves to the source root and offers:
#   say TEXT...          a heading line
#   need PACKAGE...      Debian packages that must be there; installs the
#                        missing ones and says which
#   cores                how many parallel jobs to use
#   build PRESET         configure and build a preset

set -euo pipefail
unset CDPATH
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C

say()
{
    printf '\n== %s\n' "$*"
}

installed()
{
    dpkg-query -W -f='${Status}' "$1" 2>/dev/null |
        grep -q '^install ok installed$'
}

need()
{
    local package missing=() root=()

    if ! command -v dpkg-query >/dev/null; then
        echo "no Debian package database here; needed: $*"
        return 0
    fi
    for package in "$@"; do
        installed "$package" || missing+=("$package")
    done
    if ((${#missing[@]} == 0)); then
        echo "all needed packages are installed: $*"
        return 0
    fi
    if (($(id -u) != 0)); then
        if ! command -v sudo >/dev/null; then
            echo "error: missing packages: ${missing[*]}" >&2
            echo "run as root, or install sudo or the packages" >&2
            return 1
        fi
        root=(sudo)
    fi
    echo "installing with apt-get: ${missing[*]}"
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -q update </dev/null
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -q install -y --no-install-recommends "${missing[@]}" \
        </dev/null
}

cores()
{
    nproc 2>/dev/null || echo 2
}

build()
{
    cmake --preset "$1" -B "build/$1" "${@:2}" &&
        cmake --build "build/$1" --parallel "$(cores)"
}

# What every build needs. libmpfr-dev: transcendental functions are rounded
# correctly with it. libsqlite3-dev, libmd-dev (SHA-256): results that are kept.
# zlib1g-dev: zipped bundles.
# shellcheck disable=SC2034 # used by the scripts
build_packages=(gcc libc6-dev cmake ninja-build pkg-config libz3-dev
    libcjson-dev libmpfr-dev libsqlite3-dev libmd-dev zlib1g-dev)
