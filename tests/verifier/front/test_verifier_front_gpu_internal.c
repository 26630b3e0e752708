/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of test_interp_gpu.c for the front end of the prover: vprog_case_internal.h.
 */
int rows_main(void);
#define main rows_main
#include "tests/interp/threads/test_interp_gpu.c"
#undef main
#include "tests/verifier/front/vprog_case_internal.h"

static const struct vcase_refused refused[] = {
    {"rule 5: serial loops around the threads and inside",
     "a reduction across threads"},
    {"rule 5: a predicate that is false for every thread leaves the identity",
     "a reduction across threads"},
    {"rule 3: parts of one element, each of another thread", "several types"},
    {"rule 3: a wide access of what a narrow one of another thread wrote",
     "several types"},
    /* what combines two partial results is more than one operation */
    {"rule 5: a sum that is cut off, from the last partial on",
     "whose identity may count"},
    {"rule 5: one that does not come so far", "whose identity may count"},
    {"rule 4: storage of a block between two bindings of its threads",
     "which are one kernel"},
};

int main(void)
{
    return vcase_main(cases, DC_ARRAY_LEN(cases), refused,
                      DC_ARRAY_LEN(refused));
}
