# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# Sourced by the tests of this folder, which have set $version and $here: $python is
# then one with that TVM. Ends the test, with exit status 77 and a line "skipped: …",
# where it cannot be had.

if answer=$(sh "$here/setup.sh" "$version"); then
    # shellcheck disable=SC2034 # for those who source it
    python=$(printf '%s\n' "$answer" | tail -n 1)
else
    status=$?
    printf '%s\n' "$answer"
    exit "$status"
fi
printf '%s\n' "$answer"
