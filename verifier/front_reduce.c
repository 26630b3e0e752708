/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions across threads.
 */
#include "verifier/front.h"

bool front_reduction(struct front *f, struct ir_stmt *s)
{
    (void)f;
    (void)s;
    return false;
}
