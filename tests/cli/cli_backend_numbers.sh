# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Code generators with other arithmetic than they declare: truncation, literals
# with few digits, subnormal numbers flushed to zero. Each is `deviates` as what it
# is, or `wrong` where no operation rounds, in float32 and float16, on gcc and
# clang; none passes as drift.

# shellcheck source=tests/cli/data/stand_in.sh
. "$data/stand_in.sh"

for type in float32 float16; do
    # Truncation in place of rounding.
    start truncates '(void)fesetround(FE_TOWARDZERO);'
    judge matmul $type deviates 'truncate \(round toward zero\), which the target does not declare'
    judge conv_pad $type deviates 'truncate \(round toward zero\)'
    judge scaled $type deviates 'truncate \(round toward zero\)'
    judge softmax $type deviates 'truncate \(round toward zero\)'

    # Literals with few digits; 0.1 needs but one.
    edit literal-3 's/0\.318[0-9]*f/0.318f/'
    judge scaled $type wrong 'as if literals were printed with 3 digits'
    edit literal-2 's/0\.318[0-9]*f/0.32f/'
    judge scaled $type wrong 'as if literals were printed with 2 digits'
    edit literal-3 's/0\.176[0-9]*f/0.177f/'
    judge softmax $type deviates 'literals were printed with 3 digits, which the target does not declare'
done
edit literal-6 's/0\.176[0-9]*f/0.176777f/'
judge softmax float32 deviates 'literals were printed with 6 digits'
edit literal-7 's/0\.7071[0-9]*f/0.7071068f/'
judge gelu float32 deviates 'literals were printed with 7 digits'
edit literal-2 's/0\.7070[0-9]*f/0.71f/; s/0\.0447[0-9]*f/0.045f/'
judge gelu float16 deviates 'literals were printed with 2 digits'
edit one-literal-2 's/0\.7070[0-9]*f/0.71f/'
judge gelu float16 wrong "as if 'T.float16\(0.7071[0-9]*\)' alone were printed with 2 digits: that gives every bit"

# Subnormal numbers flushed to zero: by the processor, or, in float16 where it
# does not, at the store.
start flushes '_mm_setcsr(_mm_getcsr() | 0x8040);'
for module in matmul conv_pad scaled double_matmul; do
    judge $module float32 deviates 'subnormal float32 .* zero, which the target does not declare'
done
flush='static float flush(float x) { return x < 0x1p-14f \&\& x > -0x1p-14f ? x * 0 : x; }'
edit flushes-half "s/^static void kernel_main/$flush &/
s/\\([AP]\\[[^]]*\\] \\* [BW]\\[[^]]*\\]\\)/(_Float16)flush((float)(\\1))/
s/\\([AB]\\[v_i\\] \\* ((_Float16)[^)]*)\\)/(_Float16)flush((float)(\\1))/g
s/^\\( *[CY]\\[[^=]*\\] = \\)\\(.*[A-Z]\\[.*\\);/\\1(_Float16)flush((float)(\\2));/"
for module in matmul conv_pad scaled double_copy; do
    judge $module float16 deviates 'subnormal 16-bit results are flushed to zero, which the target does not declare'
done
