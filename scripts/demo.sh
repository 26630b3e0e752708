#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# From a bare Debian 12 to a verdict: installs what is missing, builds the
# release preset and compares the tuned and the untuned conv2d of relax#294.
# Needs root or sudo only when something is missing; works offline when not.

# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

say "packages"
need "${build_packages[@]}"

say "build (release)"
build release -DBUILD_TESTING=OFF

pair=corpora/relax294
command=(build/release/diffcheck --targets none "$pair/tuned.py"
    "$pair/untuned.py")
say "${command[*]}"
"${command[@]}"
