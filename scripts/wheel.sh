#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# wheel.sh [OUT]: builds the release and makes a wheel of it in OUT, by default
# build/wheel: the command diffcheck, the libraries that it needs and the Python
# package (packaging/wheel.py). Last line: the path of the wheel.

# shellcheck source=scripts/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

need "${build_packages[@]}" binutils python3
if [[ ! -f build/release/build.ninja ]]; then
    cmake --preset release
fi
cmake --build build/release --parallel "$(cores)" --target diffcheck_wheel
version=$(build/release/packaging/wheel/diffcheck --version 2>/dev/null |
    cut -d' ' -f2)
python3 packaging/wheel.py build/release/packaging/wheel/diffcheck \
    python/diffcheck "$version" "${1:-build/wheel}"
