/* SPDX-License-Identifier: Apache-2.0
 *
 * diffcheck: the command line.
 *
 * Runs the line (line.c) and makes sure of the exit status: 0 nothing found, 1 a
 * finding, 2 usage, unreadable input or no memory left, 3 internal error, 4
 * undecided. Anything that breaks an invariant of ours ends here through the
 * bug handler with status 3, and a caller that asked for JSON gets its object
 * then, too.
 */
#include "diff/command.h"
#include "diff/diff.h"

#include <fenv.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The one mutable object of the program: the bug handler takes no argument
 * by which it could learn whether JSON is due. Set once, before any work. */
static volatile sig_atomic_t json_due;

static void on_bug(const char *message)
{
    bool json = json_due;
    json_due = 0; /* a bug on the way out must not come back here */
    fputs("diffcheck: internal error: ", stderr);
    for (const char *p = message; *p;) { /* without memory: there may be none */
        size_t n = text_visible(p, strlen(p), "");
        (void)fwrite(p, 1, n, stderr);
        p += n;
        if (*p)
            fprintf(stderr, "\\x%02x", (unsigned)(unsigned char)*p++);
    }
    fputc('\n', stderr);
    if (json)
        diff_print_error(message, DIFF_EXIT_INTERNAL);
    (void)fflush(stdout);
    _Exit(DIFF_EXIT_INTERNAL);
}

/* Other threads may come here, too, and more than once: the first one ends the
 * process, and what it needs for that is no longer counted. */
static void on_exhausted(const char *message)
{
    static atomic_flag taken = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&taken))
        (void)pause();
    bool json = json_due;
    json_due = 0;
    dc_set_memory_handler(NULL);
    dc_memory_limit(0);
    fprintf(stderr, "diffcheck: error: %s\n", message);
    if (json)
        diff_print_error(message, DIFF_EXIT_USAGE);
    (void)fflush(stdout);
    _Exit(DIFF_EXIT_USAGE);
}

int main(int argc, char **argv)
{
    dc_set_bug_handler(on_bug);
    /* a library that was loaded first may have set other roundings, or that
     * subnormal numbers are zeros (crtfastmath does) */
    (void)fesetenv(FE_DFL_ENV);
    dc_set_memory_handler(on_exhausted);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file too large is an error to tell */
    json_due = diff_options_want_json(argc, argv);
    int status = diff_line(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "diffcheck: error: cannot write standard output\n");
        status = DIFF_EXIT_USAGE;
    }
    return status;
}
