/* SPDX-License-Identifier: Apache-2.0
 *
 * From a difference to its outcome. On exact inputs no operation of the
 * program rounds, so that rounding cannot be the cause: the target is wrong.
 * For differences elsewhere no cause is looked for yet: they stay unexplained.
 */
#include "diff/harness/measure.h"

void diff_attribute(const struct diff_measurement *m, struct diff_measured *t,
                    size_t side, struct report_kernel *out, const char **detail)
{
    *detail = NULL;
    out->reason = diff_find_wrong(m, t, side);
    out->outcome = out->reason ? REPORT_WRONG : REPORT_UNEXPLAINED;
    if (!out->reason)
        out->reason = "differs where operations round, for no reason found";
}
