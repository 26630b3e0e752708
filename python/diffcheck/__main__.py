# SPDX-License-Identifier: Apache-2.0
"""`python -m diffcheck` is `diffcheck`."""

from diffcheck import main

main()
