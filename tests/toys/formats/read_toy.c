/* SPDX-License-Identifier: Apache-2.0
 *
 * A format of one file: TVMScript behind a line that says "toy".
 */
#include "ir/ir.h"

#include <string.h>

extern const struct ir_reader read_toy, read_tvmscript;

static const char head[] = "toy\n";

static bool detect(const char *text, size_t len)
{
    return len >= strlen(head) && memcmp(text, head, strlen(head)) == 0;
}

static struct ir_module *read_it(const char *text, size_t len, const char *file,
                                 struct diag_sink *sink)
{
    return read_tvmscript.read(text + strlen(head), len - strlen(head), file,
                               sink);
}

const struct ir_reader read_toy = {
    .name = "toy",
    .summary = "TVMScript behind a line that says so",
    .detect = detect,
    .read = read_it,
};
