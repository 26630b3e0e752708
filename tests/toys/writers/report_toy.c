/* SPDX-License-Identifier: Apache-2.0
 *
 * A report of one file: the number of pairs.
 */
#include "reports/reports.h"

extern const struct report_writer report_toy;

static void write_toy(const struct report_set *set, struct report_style style,
                      struct buf *out)
{
    (void)style;
    buf_printf(out, "toy %zu\n", set->entries[0].report->npairs);
}

const struct report_writer report_toy = {
    .name = "toy", .summary = "the number of pairs", .write = write_toy};
