/* SPDX-License-Identifier: Apache-2.0
 *
 * Linked into the program in place of its comparison: breaks in the way that the
 * name of the tuned module asks for, else compares.
 */
#include "diff/diff.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void __real_diff_compare_read(const struct diff_options *options,
                              struct ir_module *tuned,
                              struct ir_module *untuned, struct report *report,
                              struct diag_sink *sink);
void __wrap_diff_compare_read(const struct diff_options *options,
                              struct ir_module *tuned,
                              struct ir_module *untuned, struct report *report,
                              struct diag_sink *sink);

void __wrap_diff_compare_read(const struct diff_options *options,
                              struct ir_module *tuned,
                              struct ir_module *untuned, struct report *report,
                              struct diag_sink *sink)
{
    const char *how = options->operands[0];
    if (strcmp(how, "bug") == 0)
        DC_BUG("broken on purpose, '%s'", "quoted");
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "fault") == 0)
        (void)raise(SIGSEGV);
    if (strcmp(how, "exit") == 0)
        _exit(0);
    if (strcmp(how, "memory") == 0)
        dc_memory_out("this test");
    if (strcmp(how, "prints") == 0) {
        printf("on standard output\n");
        fprintf(stderr, "on standard error\n");
        (void)fflush(stdout);
    }
    __real_diff_compare_read(options, tuned, untuned, report, sink);
}
