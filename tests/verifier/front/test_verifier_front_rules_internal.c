/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of test_interp_rules.c for the front end of the prover: vprog_case_internal.h.
 */
int rows_main(void);
#define main rows_main
#include "tests/interp/machine/test_interp_rules.c"
#undef main
#include "tests/verifier/front/vprog_case_internal.h"

static const struct vcase_refused refused[] = {
    {"rule 29: bytes are little endian", "another element type"},
    {"rule 29: a byte that is neither 0 nor 1 is no truth", "several types"},
    {"rule 29: a partly initialised value is undefined", "several types"},
    {"rule 29: a value whose last byte is outside of the storage",
     "several types"},
    {"rule 29: one of which but the first byte is", "another element type"},
    {"rule 29: an overflow in the first of four bytes", "several types"},
    {"rule 29: four bytes on two pages", "a pointer that may not be aligned"},
    {"while, break and continue", "a jump out of a loop"},
    {"rule 1: continue in a while loop goes on with it", "a while loop"},
    {"rule 1: break in a while loop leaves it", "a while loop"},
};

int main(void)
{
    return vcase_main(cases, DC_ARRAY_LEN(cases), refused,
                      DC_ARRAY_LEN(refused));
}
