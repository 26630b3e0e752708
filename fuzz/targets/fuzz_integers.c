/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes → a pair of programs whose integers may wrap. What must hold: no proof
 * and no certificate stands against an input that tells the sides apart, no side
 * is called safe that has a fault, and runs call nothing wrong that is equal on
 * all inputs.
 *
 * The bytes are the generator's choices, one or two a choice. Where they end, a
 * generator seeded by them goes on, so that short inputs are whole pairs, too.
 */
#include "fuzz/fuzz.h"
#include "fuzz/ints/ints.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!ints_check_bytes(data, size))
        DC_BUG("a verdict on integers is wrong");
    return 0;
}
