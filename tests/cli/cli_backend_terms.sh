# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# Code generators that compute another program: a tap dropped, a predicate flipped,
# the wrong half of a double buffer. Each is `wrong` as what it is, in float32
# and float16, on gcc and clang; none passes as drift.

# shellcheck source=tests/cli/data/stand_in.sh
. "$data/stand_in.sh"

for type in float32 float16; do
    # A tap of the sum is dropped.
    edit last-tap 's/k < 6/k < 5/'
    judge matmul $type wrong "no operation rounds.*as if term 6, A\[.*left out.*loop 'k' ended one iteration early \(5 of 6\)"
    edit middle-tap 's/^\( *\)\(C\[v_i \* 5 + v_j\] = C\)/\1if (v_k != 2) \2/'
    judge matmul $type wrong "as if term 3, A\[.*left out.*iteration 3 of 6 of loop 'k'"
    edit one-tap 's/rc < 3; /rc < 3 - (ry == 1 \&\& rx == 1); /'
    judge conv_pad $type wrong 'as if term 15, P\[.*, 2\] \* W\[1, 1, 2, .*left out'
    edit last-tap 's/k_2 < 32/k_2 < 31/'
    judge softmax $type wrong "as if loop 'k' ended one iteration early \(31 of 32\): that gives every bit compared"
    edit last-tap 's/k < 8;/k < 7;/'
    judge double_matmul $type wrong "as if loop 'k' ended one iteration early \(7 of 8\)"

    # A predicate is flipped.
    edit init-late 's/v_k == 0/v_k == 1/'
    judge matmul $type wrong "initial value of block 'C' were stored at the second value of 'v_k'"
    edit init-late 's/v_k_2 == 0/v_k_2 == 1/'
    judge softmax $type wrong "initial value of block 'Z' were stored at the second value of 'v_k'"
    edit border 's/1 <= v_x/2 <= v_x/'
    judge conv_pad $type wrong "as if '1 <= v_x' were '2 <= v_x'"
    edit negated 's/v_y < 9/!(v_y < 9)/'
    judge conv_pad $type wrong 'expected .*no operation rounds'
    edit last-tile 's/t < 7/t < 6/'
    judge double_copy $type wrong "as if 't < 7' were 't < 6'"
    edit no-tile 's/t < 3/t > 3/'
    judge double_matmul $type wrong 'expected .*no operation rounds'

    # The wrong half of a double buffer.
    edit half-read 's/floormod_i32(v_t_1, 2)/floormod_i32(v_t_1 + 1, 2)/g'
    judge double_copy $type wrong 'as if the wrong part of a buffer were'
    judge double_matmul $type wrong 'as if the wrong part of a buffer were'
    edit half-written 's/floormod_i32(v_t_ + 1, 2)/floormod_i32(v_t_, 2)/g'
    judge double_matmul $type wrong 'as if the wrong part of a buffer were'

done
